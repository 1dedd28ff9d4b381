import { dirname } from "@std/path/posix/dirname";
import { join } from "@std/path/posix/join";
import { plural } from "../../base/text/amounts.ts";
import { quote, quotePath } from "../../base/text/quote.ts";
import type { ToolContext } from "../../runner/registry/tool_context.ts";
import { entryPath } from "../search/paths.ts";
import { Skipped } from "../search/skipped.ts";
import { walk } from "../search/walk.ts";
import { escapeControls } from "../../base/text/escape_controls.ts";
import { Documents, isDocument, MAX_BYTES } from "./documents.ts";

/** The most documents, and the longest time for reading them, in milliseconds. */
const [MAX_DOCUMENTS, MAX_MS] = [5000, 20_000];

/** The part of a tool's context that checking links needs. */
type LinkContext = Pick<ToolContext, "path" | "mayRead" | "repositories" | "signal">;

/** The result of a check of links. */
export interface LinkReport {
  /** The report for the caller. */
  text: string;
  /** The number of broken links. */
  broken: number;
}

/** The results so far. */
class Tally {
  documents = 0;
  links = 0;
  broken: string[] = [];
  unknown = 0;
  web = new Set<string>();
  notes: string[] = [];
}

/** A check of links: the directory for links that begin with a slash, and the documents. */
interface Check {
  root: string;
  documents: Documents;
  ctx: LinkContext;
}

/**
 * The broken links of a document, or of the documents below a directory. The report has at most
 * `limit` lines `file:line: link: why`, then at most `limit` URLs. Throws for any other path.
 */
export async function findBrokenLinks(
  ctx: LinkContext,
  { path: given, limit }: { path: string; limit: number },
): Promise<LinkReport> {
  const start = ctx.path(given);
  const info = statOf(start, given);
  const root = info.isDirectory ? start : dirname(start);
  const tally = new Tally();
  const check = { root, documents: new Documents(), ctx };
  const skipped = new Skipped();
  const deadline = performance.now() + MAX_MS;
  const files = info.isDirectory ? documentsBelow(root, { ctx, skipped }) : [start];
  for await (const file of files) {
    if (tally.documents >= MAX_DOCUMENTS || performance.now() > deadline) {
      const read = plural(tally.documents, "document");
      tally.notes.push(`[Stopped after ${read}: choose a directory below]`);
      break;
    }
    const shown = info.isDirectory ? file.slice(root.length).replace(/^\//, "") : given;
    checkDocument(file, { shown, check, tally });
  }
  const text = [...told(tally, limit), ...tally.notes, ...skipped.notes()].join("\n");
  return { text, broken: tally.broken.length };
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

function checkDocument(
  file: string,
  { shown, check, tally }: { shown: string; check: Check; tally: Tally },
): void {
  const document = check.documents.at(file);
  if (document === undefined) {
    const why = `it cannot be read, or is larger than ${MAX_BYTES / 1024 / 1024} MiB`;
    tally.notes.push(`[Not checked: ${quotePath(shown)}: ${why}]`);
    return;
  }
  tally.documents++;
  for (const { target, line } of document.links) {
    tally.links++;
    const verdict = checkLink(target, file, check);
    if (verdict === "web") tally.web.add(target);
    else if (verdict === "unknown") tally.unknown++;
    else if (verdict !== "valid") {
      tally.broken.push(`${escapeControls(shown)}:${line}: ${quote(target)}: ${verdict.broken}`);
    }
  }
}

/**
 * Checks one link of a document. Never asks the network. The result is `unknown` if the flags do
 * not let the call read what it names, or if that is too large.
 */
function checkLink(
  target: string,
  file: string,
  { root, documents, ctx }: Check,
): "valid" | "web" | "unknown" | { broken: string } {
  if (/^(https?:)?\/\//i.test(target)) return "web";
  if (/^[a-z][a-z0-9+.-]+:/i.test(target)) return "valid";
  const [, path = "", fragment = ""] = /^([^?#]*)(?:\?[^#]*)?(?:#(.*))?$/s.exec(target) ?? [];
  const name = decoded(path);
  if (name.includes("\0")) return { broken: "its path contains a NUL character" };
  const from = name.startsWith("/") ? root : dirname(file);
  const found = name === "" ? file : join(from, name);
  if (!ctx.mayRead(found)) return "unknown";
  const kind = kindOf(found);
  if (kind === "nothing") return { broken: "no such file" };
  if (fragment === "" || kind === "directory" || !isDocument(found)) return "valid";
  const anchor = decoded(fragment.replace(/:~:.*$/s, ""));
  if (anchor === "" || anchor === "top") return "valid";
  const document = documents.at(found);
  if (document === undefined) return "unknown";
  if (document.anchors.has(anchor)) return "valid";
  return { broken: `no anchor ${quote(anchor)} in ${name === "" ? "it" : "that file"}` };
}

function kindOf(path: string): "file" | "directory" | "nothing" {
  try {
    return Deno.statSync(path).isDirectory ? "directory" : "file";
  } catch {
    return "nothing";
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
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
  const why = info === undefined ? "no such file or directory" : "it is not Markdown or HTML";
  throw new Error(`Cannot check the links of ${quotePath(given)}: ${why}`);
}
