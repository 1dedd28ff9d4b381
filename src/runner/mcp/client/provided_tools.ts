import { quote } from "../../../base/text/quote.ts";
import type { Registry } from "../../registry/registry.ts";
import { ToolExistsError } from "../../registry/registry_errors.ts";
import type { ListedTool } from "./listed_tool.ts";
import type { ServerConfig } from "./server_config.ts";
import { serverTool } from "./server_tool.ts";

/** The tools of one server that are in the catalogue. */
export class ProvidedTools {
  #server: ServerConfig;
  #registry: Registry | undefined;
  #forms = new Map<string, string>();

  /** Takes the server; nothing is in the catalogue yet. */
  constructor(server: ServerConfig) {
    this.#server = server;
  }

  /** The catalogue that is to be kept in line, for the next list. */
  use(registry: Registry): void {
    this.#registry = registry;
  }

  /**
   * Brings the catalogue in line with the server's list: what is gone or has changed is taken
   * out, what is new is put in. Returns what could not be put in, in words.
   */
  follow(tools: readonly ListedTool[]): string[] {
    const registry = this.#registry;
    if (registry === undefined) return [];
    const now = new Map(tools.map((tool) => [tool.name, tool]));
    for (const [name, form] of this.#forms) {
      if (JSON.stringify(now.get(name)) === form) continue;
      registry.unregister(name);
      this.#forms.delete(name);
    }
    return tools.flatMap((tool) => this.#forms.has(tool.name) ? [] : this.#put(registry, tool));
  }

  #put(registry: Registry, tool: ListedTool): string[] {
    try {
      registry.register(serverTool(this.#server, tool));
      this.#forms.set(tool.name, JSON.stringify(tool));
      return [];
    } catch (error) {
      if (!(error instanceof ToolExistsError)) throw error;
      return [`the tool ${quote(tool.name)} is left out: the name is taken`];
    }
  }
}
