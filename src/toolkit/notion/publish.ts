import { CallError, toolFailure } from "../../base/errors.ts";
import { plural } from "../../base/text/amounts.ts";
import { quote } from "../../base/text/quote.ts";
import type { StructuredOutput } from "../../base/content.ts";
import type { ToolContext } from "../../runner/registry/tool_context.ts";
import { type Addition, countBlocks, toAddition, toBatches } from "./batches.ts";
import { type Notes, notesText, splitText } from "./rich_text.ts";
import { convertMarkdown } from "./blocks.ts";
import { sendNotionRequest } from "./request.ts";
import { type NotionSetup, notionSetup } from "./setup.ts";

type Context = Pick<ToolContext, "fetch" | "settings" | "signal" | "progress">;

/** A page that was created, with the number of its blocks so far and in all. */
interface Page {
  id: string;
  url: string;
  done: number;
  all: number;
}

/**
 * Creates a page from a Markdown text. The result has the page's URL and lists the parts of the text
 * that Notion cannot show. Throws `unavailable` if a setting is missing. If the page was created but
 * not completed, the error has its URL.
 */
export async function publishPage(
  ctx: Context,
  { title, content, parent }: { title: string; content: string; parent?: string | undefined },
): Promise<StructuredOutput> {
  const setup = await notionSetup(ctx, parent);
  const notes: Notes = new Map();
  const blocks = convertMarkdown(content, notes);
  const all = countBlocks(blocks);
  const additions = blocks.map(toAddition);
  // The response to a new page does not contain the ids of its blocks.
  const [first = []] = toBatches(additions);
  const late = first.findIndex(({ later }) => later.length > 0);
  const now = late < 0 ? first : first.slice(0, late);
  const page = await makePage(ctx, { title, additions: now, setup, all });
  try {
    await append(ctx, { to: page.id, additions: additions.slice(now.length), page, setup });
  } catch (error) {
    throw partly(error as Error, { page, signal: ctx.signal });
  }
  const said = notesText(notes);
  const lines = [`Published ${quote(title)}: ${page.url}`, `It has ${plural(all, "block")}`];
  return {
    content: [...lines, ...said.map((each) => `[Changed: ${each}]`)].join("\n"),
    structuredContent: { url: page.url, page_id: page.id, blocks: all, notes: said },
  };
}

async function makePage(
  ctx: Context,
  { title, additions, setup, all }: {
    title: string;
    additions: readonly Addition[];
    setup: NotionSetup;
    all: number;
  },
): Promise<Page> {
  const body = {
    parent: setup.parent,
    // The id of the title property is `title` in every database, whatever its name.
    properties: { title: { title: splitText(title, { annotations: [] }) } },
    ...(additions.length > 0 && { children: additions.map(({ json }) => json) }),
  };
  let answer;
  try {
    answer = await sendNotionRequest(ctx, { method: "POST", path: "/v1/pages", body }, setup);
  } catch (error) {
    throw ctx.signal.aborted ? error : notMade(error);
  }
  const { id, url } = answer;
  if (typeof id !== "string" || typeof url !== "string") {
    throw new Error(
      "It is unknown whether the page was created: Notion's response has no id and URL",
    );
  }
  return { id, url, done: countOf(additions), all };
}

/** Adds blocks to a page or a block, in order, and then the children that did not fit the request. */
async function append(
  ctx: Context,
  { to, additions, page, setup }: {
    to: string;
    additions: readonly Addition[];
    page: Page;
    setup: NotionSetup;
  },
): Promise<void> {
  for (const batch of toBatches(additions)) {
    ctx.signal.throwIfAborted();
    const body = { children: batch.map(({ json }) => json) };
    const path = `/v1/blocks/${encodeURIComponent(to)}/children`;
    const { results } = await sendNotionRequest(ctx, { method: "PATCH", path, body }, setup);
    page.done += countOf(batch);
    ctx.progress(`${page.done} of ${page.all} blocks`);
    for (const [at, { later }] of batch.entries()) {
      if (later.length === 0) continue;
      const id = Array.isArray(results) && results.length === batch.length
        ? results[at]?.id
        : undefined;
      if (typeof id !== "string") {
        throw new Error("Notion's response does not contain the new blocks");
      }
      await append(ctx, { to: id, additions: later.map(toAddition), page, setup });
    }
  }
}

function countOf(additions: readonly Addition[]): number {
  return additions.reduce((sum, { count }) => sum + count, 0);
}

/** The failure to create a page. After an error of the server the page may exist all the same. */
function notMade(error: unknown): CallError {
  const { code, message, details } = toolFailure(error);
  const status = Number(details["status"] ?? 0);
  const isKnown = code !== "tool_failed" || status >= 300 && status < 500;
  const doubt = isKnown
    ? ""
    : "; the page may have been created anyway: check before you try again";
  return new CallError(code, `Cannot publish to Notion: ${message}${doubt}`, details);
}

/** The failure to complete a page, with its URL and the number of blocks it has. */
function partly(
  error: Error,
  { page: { url, id, done, all }, signal }: { page: Page; signal: AbortSignal },
): Error {
  const message =
    `The page was created with ${done} of ${plural(all, "block")}: ${url}; the rest ` +
    `was not added: ${error.message}`;
  const details = { url, page_id: id, blocks: done, of_blocks: all };
  if (signal.aborted) return new Error(message, { cause: details });
  const failure = toolFailure(error);
  return new CallError(failure.code, message, { ...failure.details, ...details });
}
