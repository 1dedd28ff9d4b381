import type { InnerTool } from "../registry/services.ts";
import type { FunctionTool } from "./messages.ts";

/** The longest name of a tool that the API takes. */
const NAME_LENGTH = 64;

/** The tools that an agent is offered, by names that the API takes: `fs.read` is `fs_read`. */
export class ToolSet {
  readonly #byName = new Map<string, InnerTool>();

  /** Takes the tools; of names that become equal, the later gets a number. */
  constructor(tools: readonly InnerTool[]) {
    for (const tool of tools) {
      const name = apiName(tool.name);
      let unique = name;
      for (let count = 2; this.#byName.has(unique); count++) {
        unique = `${name.slice(0, NAME_LENGTH - 1 - String(count).length)}_${count}`;
      }
      this.#byName.set(unique, tool);
    }
  }

  /** The tool that is offered under this name. */
  get(name: string): InnerTool | undefined {
    return this.#byName.get(name);
  }

  /** Every name that is offered. */
  names(): string[] {
    return [...this.#byName.keys()];
  }

  /** The tools as the API takes them. */
  definitions(): FunctionTool[] {
    return [...this.#byName].map(([name, { description, inputSchema }]) => ({
      type: "function",
      function: { name, description, parameters: inputSchema },
    }));
  }
}

/** A name as the API takes it, at most 64 of `[A-Za-z0-9_-]`; `_` stands for what it does not. */
export function apiName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, NAME_LENGTH) || "_";
}
