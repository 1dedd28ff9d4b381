import { NamedError } from "../../base/errors.ts";

/** No tool has that name. */
export class ToolNotFoundError extends NamedError {
  /** The name of the class. */
  static override readonly errorName = "ToolNotFoundError";
  /** Takes the unknown name. */
  constructor(readonly tool: string) {
    super(`Unknown tool ${JSON.stringify(tool)}`);
  }
}

/** Another tool has that name or alias. */
export class ToolExistsError extends NamedError {
  /** The name of the class. */
  static override readonly errorName = "ToolExistsError";
  /** Takes the duplicate name. */
  constructor(readonly tool: string) {
    super(`Cannot register ${JSON.stringify(tool)}: the name is taken`);
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

/** The tool of that name is disabled. */
export class ToolDisabledError extends NamedError {
  /** The name of the class. */
  static override readonly errorName = "ToolDisabledError";
  /** Takes the tool's name, and what disables it, in words. */
  constructor(readonly tool: string, readonly why: string) {
    super(`The tool ${JSON.stringify(tool)} is disabled: ${why}`);
  }
}
