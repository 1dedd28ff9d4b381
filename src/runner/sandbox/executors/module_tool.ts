/** A tool of a tools directory, in the Worker that loads its module. */

import { CallError } from "../../../base/errors.ts";
import { isObject } from "../../../base/json/is_object.ts";
import type { ToolDefinition } from "../../registry/define.ts";
import type { ModuleAnswer, ModuleOrder, ModuleQuestion } from "../../registry/tool_module.ts";
import { confinedFailure } from "./context.ts";
import type { Answer, ExecutorOutput } from "./executor.ts";

/** The tool of a module. The module is loaded once, and nothing else is loaded with it. */
export class ModuleTool {
  #module: Promise<Record<string, unknown>> | undefined;
  #refusals: ReadonlySet<string> | undefined;

  /** Begins to load the module of an order, unless it is loaded. */
  load({ url, isTraced }: ModuleOrder["module"]): void {
    if (this.#module !== undefined) return;
    this.#module = isTraced ? this.#loadTraced(url) : import(url);
    // Whoever asks for the tool gets the error.
    this.#module.catch(() => {});
  }

  async #loadTraced(url: string): Promise<Record<string, unknown>> {
    const { traceRefusals } = await import("./trace_refusals.ts");
    this.#refusals = traceRefusals();
    return await import(url);
  }

  /**
   * The tool, once it is loaded: its code only, because the declaration stays in another thread.
   * Undefined if this thread has no module.
   */
  tool(): Promise<{ tool?: undefined; definition: ToolDefinition }> | undefined {
    return this.#module?.then(
      (module) => ({ definition: module["default"] as ToolDefinition }),
      (error) => {
        throw new CallError("unavailable", `Cannot load the tool: ${errorText(error)}`);
      },
    );
  }

  /** The accesses that the runtime has refused the tool so far, if they are traced. */
  refusals(): readonly string[] {
    return [...this.#refusals ?? []];
  }

  /** Answers a question about the tool. Never rejects. */
  async answer(question: ModuleQuestion): Promise<ModuleAnswer> {
    let module: Record<string, unknown>;
    try {
      module = await this.#module!;
    } catch (error) {
      return { fault: errorText(error), stack: isObject(error) ? String(error["stack"]) : "" };
    }
    try {
      if (question === "declaration") {
        const { declarationIn } = await import("../../tools_directory/declaration.ts");
        return { said: JSON.stringify(declarationIn(module)) };
      }
      const { args, cwd, onlyRules = false } = question;
      const { permissions, rules, timeoutMs } = module["default"] as ToolDefinition;
      const problems = rules?.(args, cwd) ?? [];
      if (onlyRules || problems.length > 0) return { said: JSON.stringify({ problems }) };
      const needs = permissions.needs(args, cwd, {});
      const limit = typeof timeoutMs === "function" && { timeoutMs: timeoutMs(args) };
      return { said: JSON.stringify({ needs, ...limit }) };
    } catch (error) {
      return { refused: errorText(error) };
    }
  }
}

function errorText(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

/** Answers a job. For a tool whose refusals are traced, the answer has them. Never rejects. */
export async function answerTo(
  run: () => Promise<ExecutorOutput>,
  module: ModuleTool,
): Promise<Answer> {
  try {
    return { output: withRefusals(await run(), module.refusals()) };
  } catch (error) {
    const { code, message, details, cause } = confinedFailure(error);
    const stack = cause instanceof Error && cause.stack !== undefined && { stack: cause.stack };
    const undeclared = module.refusals();
    const said = { ...details, ...(undeclared.length > 0 && { undeclared }) };
    return { code, message, details: said, ...stack };
  }
}

/** An output with what the runtime has refused its tool, if that is traced. */
function withRefusals(output: ExecutorOutput, refusals: readonly string[]): ExecutorOutput {
  if (refusals.length === 0) return output;
  const isPlain = typeof output === "string" || Array.isArray(output);
  return { ...(isPlain ? { content: output } : output), meta: { "toolcall/undeclared": refusals } };
}
