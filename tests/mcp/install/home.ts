/** `mcp install` in a home directory, and the file of each client there. */
import { parse as parseJson } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import { toolcall } from "../../support/executable.ts";

/** The executable is unpacked once, not for each home directory. */
export const cache = Deno.env.get("XDG_CACHE_HOME") ||
  `${Deno.env.get("HOME") || "/var/tmp"}/.cache`;
Deno.mkdirSync(cache, { recursive: true, mode: 0o700 });

/** Runs `mcp install` in the project below a home directory. */
export async function install(
  args: string[],
  { home, ...more }: { home: string } & Record<string, string>,
): Promise<{ code: number; stdout: string; stderr: string }> {
  const project = `${home}/project`;
  Deno.mkdirSync(project, { recursive: true });
  try {
    Deno.symlinkSync(cache, `${home}/.cache`);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
  return await toolcall(["mcp", "install", ...args], {
    cwd: project,
    env: {
      ...{ HOME: home, XDG_CACHE_HOME: "", TOOLCALL_CACHE_DIR: "" },
      ...{ XDG_CONFIG_HOME: "", CODEX_HOME: "" },
      ...more,
    },
  });
}

/** Whether the system is macOS. */
export const isMac = Deno.build.os === "darwin";

/** Each client with its file below the home directory, and the key and type of its entry. */
export const places: [client: string, file: string, key: string, type: string | undefined][] = [
  ["claude-code", "project/.mcp.json", "mcpServers", "stdio"],
  [
    "claude-desktop",
    `${isMac ? "Library/Application Support" : ".config"}/Claude/claude_desktop_config.json`,
    "mcpServers",
    undefined,
  ],
  ["cursor", "project/.cursor/mcp.json", "mcpServers", "stdio"],
  ["vscode", "project/.vscode/mcp.json", "servers", "stdio"],
  ["zed", ".config/zed/settings.json", "context_servers", undefined],
  ["codex", ".codex/config.toml", "mcp_servers", undefined],
  ["gemini", "project/.gemini/settings.json", "mcpServers", undefined],
  ["windsurf", ".codeium/windsurf/mcp_config.json", "mcpServers", undefined],
  ["kiro", "project/.kiro/settings/mcp.json", "mcpServers", undefined],
  ["roo", "project/.roo/mcp.json", "mcpServers", undefined],
  ["copilot-cli", ".copilot/mcp-config.json", "mcpServers", "local"],
  ["amp", "project/.amp/settings.json", "amp.mcpServers", undefined],
  ["lmstudio", ".lmstudio/mcp.json", "mcpServers", undefined],
  ["continue", "project/.continue/mcpServers/toolcall.json", "mcpServers", undefined],
  ["qwen-code", "project/.qwen/settings.json", "mcpServers", undefined],
];

/** The file of a client below a home directory. */
export const fileOf = (client: string, home: string) =>
  `${home}/${places.find(([name]) => name === client)![1]}`;

/** An entry in a client's file. */
export interface Server {
  type?: string;
  command: string;
  args: string[];
  env?: Record<string, string>;
}

/** Reads a client's file. */
export function read(path: string): Record<string, Record<string, Server>> {
  const text = Deno.readTextFileSync(path);
  return (path.endsWith(".toml") ? parseToml(text) : parseJson(text)) as ReturnType<typeof read>;
}
