import { dirname } from "@std/path/posix/dirname";
import { plural } from "../../base/text/amounts.ts";
import { quote, quotePath } from "../../base/text/quote.ts";
import type { ToolContext } from "../../runner/registry/tool_context.ts";
import { Skipped } from "../search/skipped.ts";
import { entryPath, walk } from "../search/walk.ts";
import { escapeControls } from "../../base/text/escape_controls.ts";
import { checkLink } from "./check_link.ts";
import { Documents, isDocument, MAX_BYTES } from "./documents.ts";

/** The most documents, and the longest time for reading them, in milliseconds. */
const [MAX_DOCUMENTS, MAX_MS] = [5000, 20_000];

/** The part of a tool's context that checking links needs. */
type LinkContext = Pick<ToolContext, "path" | "mayRead" | "repositories" | "signal">;

/** The results so far. */
interface Tally {
  documents: number;
  links: number;
  broken: string[];
  unknown: number;
  web: Set<string>;
  notes: string[];
}

/**
 * The broken links of a document, or of the documents below a folder, as a text: at most `limit`
 * lines `file:line: link: why`, then at most `limit` URLs. Throws for any other path.
 */
export async function findBrokenLinks(
  ctx: LinkContext,
  { path: given, limit }: { path: string; limit: number },
): Promise<string> {
  const start = ctx.path(given);
  const info = statOf(start, given);
  const root = info.isDirectory ? start : dirname(start);
  const tally: Tally = {
    ...{ documents: 0, links: 0, broken: [], unknown: 0 },
    ...{ web: new Set<string>(), notes: [] },
  };
  const documents = new Documents();
  const skipped = new Skipped();
  const deadline = performance.now() + MAX_MS;
  const files = info.isDirectory ? documentsBelow(root, { ctx, skipped }) : [start];
  for await (const file of files) {
    if (tally.documents >= MAX_DOCUMENTS || performance.now() > deadline) {
      tally.notes.push(
        `[Stopped after ${plural(tally.documents, "document")}: name a folder below]`,
      );
      break;
    }
    const shown = info.isDirectory ? file.slice(root.length).replace(/^\//, "") : given;
    look(file, { shown, root, documents, ctx, tally });
  }
  return [...told(tally, limit), ...tally.notes, ...skipped.notes()].join("\n");
}

async function* documentsBelow(
  root: string,
  { ctx, skipped }: { ctx: LinkContext; skipped: Skipped },
): AsyncGenerator<string> {
  const options = {
    ...{ root, ctx, gitRulesFrom: root },
    skipped: { add: (path: string, why: string) => skipped.add(entryPath(root, path), why) },
  };
  for await (const { path, isSymlink } of walk(options)) {
    if (!isSymlink && isDocument(path)) yield path;
  }
}

function look(
  file: string,
  { shown, root, documents, ctx, tally }: {
    shown: string;
    root: string;
    documents: Documents;
    ctx: LinkContext;
    tally: Tally;
  },
): void {
  const document = documents.at(file);
  if (document === undefined) {
    const why = `it cannot be read, or has more than ${MAX_BYTES / 1024 / 1024} MiB`;
    tally.notes.push(`[Not checked: ${quotePath(shown)}: ${why}]`);
    return;
  }
  tally.documents++;
  const place = { file, root, documents, mayRead: (path: string) => ctx.mayRead(path) };
  for (const { target, line } of document.links) {
    tally.links++;
    const verdict = checkLink(target, place);
    if (verdict === undefined) continue;
    if ("web" in verdict) tally.web.add(target);
    else if ("unknown" in verdict) tally.unknown++;
    else tally.broken.push(`${escapeControls(shown)}:${line}: ${quote(target)}: ${verdict.broken}`);
  }
}

function told({ documents, links, broken, unknown, web }: Tally, limit: number): string[] {
  const more = broken.length - limit;
  const moreWeb = web.size - limit;
  return [
    `Checked ${plural(links, "link")} in ${plural(documents, "document")}: ${broken.length} broken`,
    ...broken.slice(0, limit),
    ...(more > 0 ? [`[${more} more broken: to see them, give a larger limit]`] : []),
    ...(unknown > 0 ? [`[${plural(unknown, "link")} not checked: not granted, or too large]`] : []),
    ...(web.size === 0 ? [] : [
      `\nOn the web, not checked (call again with these as urls): ${web.size}`,
      ...[...web].slice(0, limit).map((url) => escapeControls(url)),
    ]),
    ...(moreWeb > 0 ? [`[${moreWeb} more on the web]`] : []),
  ];
}

function statOf(path: string, given: string): Deno.FileInfo {
  let info: Deno.FileInfo | undefined;
  try {
    info = Deno.statSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  if (info?.isDirectory || (info?.isFile && isDocument(path))) return info;
  const why = info === undefined ? "there is no such file or folder" : "it is no Markdown or HTML";
  throw new Error(`Cannot check the links of ${quotePath(given)}: ${why}`);
}
