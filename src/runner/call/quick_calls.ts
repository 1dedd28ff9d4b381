import { pathRules } from "../../base/fs/path_rules.ts";
import { Reader, type ReaderOptions } from "../sandbox/executors/reader.ts";
import { decide, pathToDecide } from "../sandbox/policy/grants.ts";
import { argumentErrors } from "./argument_errors.ts";
import { planFor } from "./authorise.ts";
import type { CallOptions, ToolCall } from "./call.ts";
import { resultOf, withIgnored, withRepairs } from "./failure.ts";
import { isReaderTool } from "./reader_calls.ts";
import { rateLimitOf } from "./run.ts";
import { mayHavePatches, usualStateDirectory } from "../state/state_directory.ts";
import { type QuickResult, type QuickTool, ShortReads } from "./short_reads.ts";

/**
 * The short way of a call in a long-lived process: for calls that only read files, that the flags
 * grant and that succeed soon. It makes the same checks as `executeCall`, and none of its
 * preparations for what such a call does not do. Every other call takes the way of `executeCall`,
 * also one that was tried here first: reading twice does no harm.
 */
export class QuickCalls {
  #tools = new Map<string, QuickTool | "usual" | Promise<void>>();
  #readers: Reader[] = [];
  #readerOptions: ReaderOptions | undefined;
  #shortReads: ShortReads;
  #stateDir: string | undefined;
  #unsubscribe: () => void;

  /**
   * Takes the options of the calls, and how many may run at the same time. The plan for a tool stays
   * the same under the same flags.
   */
  constructor(readonly options: CallOptions, readonly atOnce = 1) {
    this.#unsubscribe = options.registry.subscribe(() => this.#tools = new Map());
    this.#shortReads = new ShortReads(options);
    this.#stateDir = options.stateDir ?? usualStateDirectory();
  }

  /**
   * Returns the result of a call, or `undefined` for a call that has to take the usual way. The
   * promise never rejects.
   */
  run(call: ToolCall): QuickResult | Promise<QuickResult> {
    const found = this.#tools.get(call.name) ?? this.#learn(call.name);
    if (found instanceof Promise) return found.then(() => this.run(call), () => undefined);
    if (found === "usual" || this.mayHavePatches()) return undefined;
    const result = this.#shortReads.run(found, call);
    if (result !== undefined) return result;
    const paths = this.#authorise(found, call.arguments);
    return paths && this.#read(found, call, paths).catch(() => undefined);
  }

  /** Returns the result of a call that needs no thread, if its tool is known. */
  runAtOnce(call: ToolCall): QuickResult {
    const found = this.#tools.get(call.name);
    return found === undefined || found === "usual" || found instanceof Promise ||
        this.mayHavePatches()
      ? undefined
      : this.#shortReads.run(found, call);
  }

  /** Whether a patch may be unfinished. The usual way of a call finishes it. */
  mayHavePatches(): boolean {
    return mayHavePatches(this.#stateDir);
  }

  /** Resolves when it is known whether calls of that name may be quick; undefined if it is known. */
  prepare(name: string): Promise<void> | undefined {
    const found = this.#tools.get(name) ?? this.#learn(name);
    return found instanceof Promise ? found.catch(() => {}) : undefined;
  }

  /** The tools with short reads that are known by now, and the options of a Worker for them. */
  shortReads(): { tools: string[]; options: ReaderOptions } | undefined {
    const options = this.#readerOptions;
    if (options === undefined) return undefined;
    const tools = [...this.#tools].flatMap(([name, found]) =>
      typeof found === "object" && "definition" in found && found.definition.shortFile !== undefined
        ? [name]
        : []
    );
    return { tools, options };
  }

  /** Returns the same for calls under other flags. */
  narrowed(flags: Pick<CallOptions, "grants" | "flags">): QuickCalls {
    return new QuickCalls({ ...this.options, ...flags });
  }

  /** Ends the Workers. A later call starts another one. */
  close(): void {
    this.#unsubscribe();
    for (const reader of this.#readers) reader.close();
    this.#shortReads.close();
  }

  async #read(
    { tool: { metadata } }: QuickTool,
    { arguments: args, repairs = [] }: ToolCall,
    paths: Record<string, string>,
  ): Promise<QuickResult> {
    const reader = this.#readers.reduce((a, b) => b.load < a.load ? b : a);
    const output = await reader.run({ tool: metadata.name, args, paths });
    if (output === undefined) return undefined;
    const whole = resultOf(output);
    const result = this.options.structured
      ? (await import("./omit_large.ts")).omitLargeFields(whole)
      : whole;
    return withRepairs(withIgnored(result, metadata, args), repairs);
  }

  /** Returns the real paths of a call that is valid and granted. */
  #authorise(
    { tool, definition }: QuickTool,
    args: Record<string, unknown>,
  ): Record<string, string> | undefined {
    const { cwd, grants } = this.options;
    try {
      if (argumentErrors(tool, args).length > 0 || !isFlat(args)) return undefined;
      if ((definition.rules?.(args, cwd) ?? []).length > 0) return undefined;
      const paths: Record<string, string> = {};
      for (const need of definition.permissions.needs(args, cwd, {})) {
        if (need.name !== "read" || need.path.includes("\0")) return undefined;
        const path = pathRules.resolve(cwd, need.path);
        paths[path] ??= pathToDecide(path, grants);
        if (!decide({ name: "read", path: paths[path] }, grants).granted) return undefined;
      }
      return paths;
    } catch {
      // The usual way reports it.
      return undefined;
    }
  }

  /** Finds out whether calls of a tool may be quick. Rejects for an unknown tool. */
  #learn(name: string): Promise<void> {
    const tools = this.#tools;
    const learning = this.#quickTool(name).then(
      (found) => void tools.set(name, found ?? "usual"),
      (error) => {
        // The names of unknown tools are not kept.
        tools.delete(name);
        throw error;
      },
    );
    tools.set(name, learning);
    return learning;
  }

  async #quickTool(name: string): Promise<QuickTool | undefined> {
    const { options } = this;
    const tool = await options.registry.get(name).load();
    const plan = await planFor(tool, options);
    if (plan.executor !== "pooled_worker" || !isReaderTool(tool.metadata)) return undefined;
    const { audit, telemetry, listeners } = options;
    if ((audit ?? telemetry ?? listeners.onStep) !== undefined) return undefined;
    if (rateLimitOf(tool, options) !== undefined) return undefined;
    const { program, grants, cwd, structured = false } = options;
    const { landlock } = plan;
    const readerOptions = { program, grants, cwd, structured, landlock };
    this.#readerOptions = readerOptions;
    while (this.#readers.length < this.atOnce) this.#readers.push(new Reader(readerOptions));
    return { tool, definition: await tool.load() };
  }
}

/** Whether no argument has parts. A deeply nested one could not be sent to another thread. */
function isFlat(args: Record<string, unknown>): boolean {
  return Object.values(args).every((value) => typeof value !== "object" || value === null);
}
