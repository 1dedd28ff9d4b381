import type { InnerTool } from "../../runner/registry/services.ts";
import type { FunctionTool } from "./messages.ts";

/** The tools that a model is offered. */
export class ToolSet {
  readonly #byName: ReadonlyMap<string, InnerTool>;

  /** Takes the tools, whose names the API has to accept. */
  constructor(tools: readonly InnerTool[]) {
    this.#byName = new Map(tools.map((tool) => [tool.name, tool]));
  }

  /** The tool with this name. */
  get(name: string): InnerTool | undefined {
    return this.#byName.get(name);
  }

  /** The names of all tools. */
  names(): string[] {
    return [...this.#byName.keys()];
  }

  /** The tools in the form of the API. */
  definitions(): FunctionTool[] {
    return [...this.#byName].map(([name, { description, inputSchema }]) => ({
      type: "function",
      function: { name, description, parameters: inputSchema },
    }));
  }
}
