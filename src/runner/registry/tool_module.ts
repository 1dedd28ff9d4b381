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
 * A question about the tool of a module: its declaration, or what a call needs, which is the
 * permissions and a time limit that the tool computes.
 */
export type ModuleQuestion = "declaration" | { args: Record<string, unknown>; cwd: string };

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
    ask?: (question: ModuleQuestion) => Promise<ModuleAnswer>,
  ): Promise<Permission[]>;
}

/** The tool, if it is one of a tools directory. */
export function asDirectoryTool(tool: RegisteredTool): DirectoryTool | undefined {
  return "code" in tool ? tool as DirectoryTool : undefined;
}
