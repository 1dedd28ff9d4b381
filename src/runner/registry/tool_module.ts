import type { ArgumentProblem } from "../../base/argument_problem.ts";
import type { Permission } from "./define.ts";
import type { RegisteredTool } from "./registered_tool.ts";

/** The module of a tool that this program was not built with. */
export interface ToolModule {
  /** The URL, which holds the text of the module. */
  url: string;
  /** Whether to record the accesses that the runtime refuses the tool. */
  isTraced?: boolean;
}

/**
 * A question about the tool of a module: its declaration, or what a call needs. A call needs
 * permissions and a time limit that the tool computes, unless its arguments break rules.
 */
export type ModuleQuestion = "declaration" | {
  args: Record<string, unknown>;
  cwd: string;
  /** Whether only the rules are asked for, because the arguments break the schema. */
  onlyRules?: boolean;
};

/** The order to load a module, and perhaps a question about its tool. */
export interface ModuleOrder {
  /** The module. A thread loads only one. */
  module: ToolModule;
  /** The question. */
  question?: ModuleQuestion;
}

/**
 * The answer to the question of a {@link ModuleOrder}, as JSON text; why the module cannot be
 * loaded, with the stack; or why the tool refuses the arguments.
 */
export type ModuleAnswer = { said: string } | { fault: string; stack: string } | {
  refused: string;
};

/** Asks a thread that has loaded the module. */
type AskModule = (question: ModuleQuestion) => Promise<ModuleAnswer>;

/** A tool of a tools directory. */
export interface DirectoryTool extends RegisteredTool {
  /** Its code. Only the sandbox of a call may load it. */
  code: ToolModule;
  /**
   * The permissions that a call needs. `ask` asks the thread of the call, if it has started. Rejects
   * with a `CallError`.
   */
  needs(
    args: Record<string, unknown>,
    cwd: string,
    ask?: AskModule,
  ): Promise<Permission[]>;
  /** The rules that arguments break which also break the schema. Rejects if it cannot tell. */
  rulesBroken(
    args: Record<string, unknown>,
    cwd: string,
    ask?: AskModule,
  ): Promise<readonly ArgumentProblem[]>;
}

/** The tool, if it is one of a tools directory. */
export function asDirectoryTool(tool: RegisteredTool): DirectoryTool | undefined {
  return "code" in tool ? tool as DirectoryTool : undefined;
}
