/** The errors of the catalogue of tools. */

import { NamedError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";

/** The part of a name that a message shows, in characters. */
const MAX_SHOWN = 4096;

/** No tool has that name. */
export class ToolNotFoundError extends NamedError {
  /** The name of the class. */
  static override readonly errorName = "ToolNotFoundError";
  /** Takes the unknown name. */
  constructor(readonly tool: string) {
    super(`Unknown tool ${quote(tool, MAX_SHOWN)}`);
  }
}

/** Another tool has that name or alias. */
export class ToolExistsError extends NamedError {
  /** The name of the class. */
  static override readonly errorName = "ToolExistsError";
  /** Takes the duplicate name. */
  constructor(readonly tool: string) {
    super(`Cannot register ${quote(tool, MAX_SHOWN)}: the name is already used`);
  }
}

/** A tool without a name cannot be registered. */
export class EmptyNameError extends NamedError {
  /** The name of the class. */
  static override readonly errorName = "EmptyNameError";
  /** Takes no arguments. */
  constructor() {
    super("Cannot register a tool with an empty name");
  }
}

/** A tool that cannot be registered, because fields are missing or wrong. */
export class InvalidToolError extends NamedError {
  /** The name of the class. */
  static override readonly errorName = "InvalidToolError";
  /** The problems, all of them. */
  readonly problems: readonly string[];
  /** Takes what the tool has as its name, and its problems in words. */
  constructor(tool: unknown, problems: readonly string[]) {
    const named = typeof tool === "string" ? `the tool ${quote(tool, MAX_SHOWN)}` : "a tool";
    super(`Cannot register ${named}: ${problems.join("; ")}`);
    this.problems = problems;
  }
}

/** The tool of that name is disabled. */
export class ToolDisabledError extends NamedError {
  /** The name of the class. */
  static override readonly errorName = "ToolDisabledError";
  /** Takes the tool's name, and what disables it, in words. */
  constructor(readonly tool: string, readonly why: string) {
    super(`The tool ${quote(tool, MAX_SHOWN)} is disabled: ${why}`);
  }
}
