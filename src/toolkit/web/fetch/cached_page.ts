import { CallError } from "../../../base/errors.ts";
import type { Json } from "../../../runner/registry/services.ts";
import type { ToolContext } from "../../../runner/registry/tool_context.ts";
import type { ShownPage } from "./page.ts";

/** How long a page is kept, in milliseconds. */
const KEPT_MS = 15 * 60_000;

/** The longest text that is kept, in characters: it is read in many calls. */
const MAX_KEPT = 4_000_000;

/** The page of that URL as it was up to a quarter of an hour ago. */
export async function cachedPage(
  { store }: Pick<ToolContext, "store">,
  url: string,
): Promise<ShownPage | undefined> {
  return await orNothing(store.get(keyOf(url), { shared: true })) as ShownPage | undefined;
}

/** Where nothing can be kept, a page is fetched again. */
async function orNothing<T>(kept: Promise<T>): Promise<T | undefined> {
  try {
    return await kept;
  } catch (error) {
    if (error instanceof CallError && error.code === "unavailable") return undefined;
    throw error;
  }
}

/** Keeps a page for a quarter of an hour, unless it is too long for that. */
export async function keepPage(
  { store }: Pick<ToolContext, "store">,
  url: string,
  page: ShownPage,
): Promise<void> {
  if (page.text.length > MAX_KEPT) return;
  await orNothing(
    store.set(keyOf(url), { ...page } satisfies Json, { shared: true, ttlMs: KEPT_MS }),
  );
}

function keyOf(url: string): string {
  return `page ${url}`;
}
