import { delay } from "@std/async/delay";
import { pathRules } from "../../../base/fs/path_rules.ts";
import { readRegularText } from "../../../base/fs/system_file.ts";
import { CallError } from "../../../base/errors.ts";
import { quote } from "../../../base/text/quote.ts";
import type { Grants } from "../../sandbox/policy/grants.ts";
import { programsMayWrite, toolsMayWrite } from "../../sandbox/policy/may_write.ts";
import { parsePrompt, type PromptFile } from "./prompt_file.ts";

/** The most bytes of a prompt's file, and the most prompts. */
const [MAX_BYTES, MAX_PROMPTS] = [256 * 1024, 500];
/** The pause between a change and its notification to the clients, in milliseconds. */
const SETTLE_MS = 200;

/** The prompts of a directory, and what is wrong with the other files in it. */
export interface LoadedPrompts {
  /** The prompts by name, in the order of their names. */
  prompts: ReadonlyMap<string, PromptFile>;
  /** Messages about files that were left out. */
  problems: readonly string[];
}

/**
 * Reads the prompts of the Markdown files in a directory. Throws `unavailable` for a directory that
 * cannot be read, or that a call may write: a call could then put its words in the user's mouth.
 */
export function loadPrompts(directory: string, grants: Grants): LoadedPrompts {
  refuseWritable(directory, grants);
  const prompts = new Map<string, PromptFile>();
  const problems: string[] = [];
  for (const name of markdownFiles(directory)) {
    const path = pathRules.resolve(directory, name);
    try {
      refuseWritable(path, grants);
      const prompt = parsePrompt(readRegularText(path, MAX_BYTES), name.replace(/\.md$/i, ""));
      if (prompts.has(prompt.name)) throw new Error(`the name ${quote(prompt.name)} is taken`);
      if (prompts.size === MAX_PROMPTS) throw new Error(`${MAX_PROMPTS} prompts are the most`);
      prompts.set(prompt.name, prompt);
    } catch (error) {
      const why = (error as Error).message;
      problems.push(`The prompt ${quote(path)} is omitted: ${why}`);
    }
  }
  const sorted = [...prompts].sort(([a], [b]) => a < b ? -1 : 1);
  return { prompts: new Map(sorted), problems };
}

function markdownFiles(directory: string): string[] {
  try {
    return [...Deno.readDirSync(directory)]
      .filter(({ name, isDirectory }) => /\.md$/i.test(name) && !isDirectory)
      .map(({ name }) => name)
      .sort();
  } catch (error) {
    const why = error instanceof Deno.errors.NotFound ? "it does not exist" : String(error);
    throw new CallError("unavailable", `Cannot read the prompts of ${quote(directory)}: ${why}`);
  }
}

/** Throws `unavailable` for a path that a call may write or lead elsewhere. */
function refuseWritable(path: string, grants: Grants): void {
  if (!programsMayWrite(path, grants) && !toolsMayWrite(path, grants)) return;
  throw new CallError(
    "unavailable",
    `Cannot use the prompts of ${
      quote(path)
    }: a call may write it; keep them outside of --allow-write`,
  );
}

/** The prompts of one directory for all connections of a server. */
export class PromptDirectory {
  #listeners = new Set<() => void>();
  #watcher: Deno.FsWatcher | undefined;
  #reported = new Set<string>();

  /** Takes the directory, an absolute path, and a receiver of messages about unusable files, each once. */
  constructor(
    readonly path: string,
    readonly grants: Grants,
    readonly onProblem: (problem: string) => void,
  ) {}

  /** Returns the prompts by name, as the files are now. Throws as {@link loadPrompts}. */
  prompts(): LoadedPrompts["prompts"] {
    const { prompts, problems } = loadPrompts(this.path, this.grants);
    for (const problem of problems) {
      if (!this.#reported.has(problem)) this.onProblem(problem);
      this.#reported.add(problem);
    }
    return prompts;
  }

  /** Calls `listener` after changes of the directory. Returns what ends that. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.#watcher ??= this.#watch();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#watcher?.close();
      this.#watcher = undefined;
    };
  }

  #watch(): Deno.FsWatcher | undefined {
    try {
      const watcher = Deno.watchFs(this.path, { recursive: false });
      this.#read(watcher).catch(() => {});
      return watcher;
    } catch {
      // Without a watcher, clients see a change when they list the prompts again.
      return undefined;
    }
  }

  async #read(watcher: Deno.FsWatcher): Promise<void> {
    let isWaiting = false;
    for await (const { kind } of watcher) {
      if (kind === "access" || isWaiting) continue;
      isWaiting = true;
      delay(SETTLE_MS, { persistent: false }).then(() => {
        isWaiting = false;
        for (const listener of this.#listeners) listener();
      });
    }
  }
}
