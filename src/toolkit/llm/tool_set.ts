import type { InnerTool } from "../../runner/registry/services.ts";
import type { FunctionTool } from "./messages.ts";

/** The tools that an agent is offered. */
export class ToolSet {
  readonly #byName: ReadonlyMap<string, InnerTool>;

  /** Takes the tools, whose names the API has to accept. */
  constructor(tools: readonly InnerTool[]) {
    this.#byName = new Map(tools.map((tool) => [tool.name, tool]));
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
