import type { CommandRunner } from "./registry/command_run.ts";
import type { Providers } from "./registry/providers.ts";

/** This program as it runs. It stays the same for the life of the process. */
export interface Program {
  /** The directory of its own files. */
  directory: string;
  /** The module that a Worker starts with, as a URL. */
  workerModule: string;
  /** Whether it runs from its bundle, all of which is in `directory`. */
  isBundled: boolean;
  /** Loads the providers that tools use. */
  providers(): Promise<Providers>;
  /** Loads what runs the programs of command tools. */
  commands(): Promise<CommandRunner>;
  /**
   * The names of the tools that list and read resources for clients of the MCP server. Models do not
   * see these tools. Without them the server has no resources.
   */
  resources?: { list: string; read: string };
  /** The name of the tool that asks the configured model for MCP servers. Models do not see it. */
  modelTool?: string;
}
