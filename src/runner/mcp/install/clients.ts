import { readVariable } from "../../../base/environment.ts";
import { join } from "@std/path/posix/join";

/** The command that starts a server: a program and its arguments. */
export interface ServerCommand {
  /** The absolute path of the program, or its name in PATH. */
  command: string;
  /** Its arguments. */
  args: readonly string[];
  /** Environment variables that it needs and clients do not pass on by default. */
  env?: Readonly<Record<string, string>>;
}

/** Which of a client's files has a server. */
export type ClientScope = "project" | "user";

/** An MCP client, and the format of its configuration. */
export interface Client {
  /** Its name on the command line. */
  name: string;
  /** Its name for people. */
  title: string;
  /** The format of its file; JSON may contain comments. */
  form: "json" | "toml";
  /** The member of the document that contains the servers by name. */
  key: string;
  /** The members of an entry besides the command and its arguments. */
  more?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  /** Whether `command` is a list with the program and its arguments, and `env` is `environment`. */
  isCommandList?: boolean;
  /** The next step for the user after a change of the file. */
  next: string;
  /** The user's command that adds a server, if the client's own file must not be changed. */
  userCommand?: string;
  /**
   * The absolute paths of its files: that of the project in a directory, and the user's own. A
   * function throws if a needed environment variable is not set.
   */
  files: { project?(project: string): string; user?(): string };
}

/** A server, its name, and the client whose configuration gets it. */
export interface Installation {
  /** The client to configure. */
  client: Client;
  /** The server's name: letters, digits, `_` and `-`. */
  name: string;
  /** The command that starts it. */
  server: ServerCommand;
}

const { os } = Deno.build;
const STDIO = { type: "stdio" };

/**
 * The known clients. The file of the project is the default where a client reads one, because the
 * permissions of a server belong to one project.
 */
export const clients: readonly Client[] = [
  {
    ...{ name: "claude-code", title: "Claude Code", form: "json", key: "mcpServers", more: STDIO },
    next: 'restart Claude Code and approve the server; "claude mcp list" shows it',
    // Claude Code also has ~/.claude.json, but rewrites it while it runs.
    files: { project: (project) => join(project, ".mcp.json") },
    userCommand: "claude mcp add --scope user",
  },
  {
    ...{ name: "claude-desktop", title: "Claude Desktop", form: "json", key: "mcpServers" },
    next: "restart Claude Desktop",
    files: { user: () => join(applicationData(), "Claude/claude_desktop_config.json") },
  },
  {
    ...{ name: "cursor", title: "Cursor", form: "json", key: "mcpServers", more: STDIO },
    next: "restart Cursor",
    files: {
      project: (project) => join(project, ".cursor/mcp.json"),
      user: () => join(home(), ".cursor/mcp.json"),
    },
  },
  {
    ...{ name: "vscode", title: "VS Code", form: "json", key: "servers", more: STDIO },
    next: 'run "MCP: List Servers" in VS Code and start the server',
    files: {
      project: (project) => join(project, ".vscode/mcp.json"),
      user: () => join(applicationData(), "Code/User/mcp.json"),
    },
  },
  {
    ...{ name: "zed", title: "Zed", form: "json", key: "context_servers" },
    next: "open the settings of the Agent Panel in Zed, which show the server",
    files: {
      user: () =>
        os === "windows"
          ? join(applicationData(), "Zed/settings.json")
          : join(configDirectory(), "zed/settings.json"),
    },
  },
  {
    ...{ name: "codex", title: "Codex", form: "toml", key: "mcp_servers" },
    next: 'restart Codex; "codex mcp list" shows the server',
    // The first start of a version unpacks it, which can exceed the default of 10 seconds.
    more: { startup_timeout_sec: 30 },
    // Codex ignores the file of a project until the user trusts the project.
    files: { user: () => join(absolute("CODEX_HOME") ?? `${home()}/.codex`, "config.toml") },
  },
  {
    ...{ name: "gemini", title: "Gemini CLI", form: "json", key: "mcpServers" },
    next: 'restart Gemini CLI; "/mcp" shows the server',
    files: {
      project: (project) => join(project, ".gemini/settings.json"),
      user: () => join(home(), ".gemini/settings.json"),
    },
  },
  {
    ...{ name: "windsurf", title: "Windsurf", form: "json", key: "mcpServers" },
    next: "restart Windsurf",
    files: { user: () => join(home(), ".codeium/windsurf/mcp_config.json") },
  },
  {
    ...{ name: "kiro", title: "Kiro", form: "json", key: "mcpServers" },
    next: "open the MCP panel of Kiro, which shows the server",
    files: {
      project: (project) => join(project, ".kiro/settings/mcp.json"),
      user: () => join(home(), ".kiro/settings/mcp.json"),
    },
  },
  {
    ...{ name: "roo", title: "Roo Code", form: "json", key: "mcpServers" },
    next: "open the MCP view of Roo Code, which shows the server",
    files: { project: (project) => join(project, ".roo/mcp.json") },
  },
  {
    ...{ name: "opencode", title: "opencode", form: "json", key: "mcp", isCommandList: true },
    more: { type: "local", enabled: true },
    next: 'restart opencode; "opencode mcp list" shows the server',
    files: {
      project: (project) => join(project, "opencode.json"),
      user: () => join(configDirectory(), "opencode/opencode.json"),
    },
  },
  {
    ...{ name: "copilot-cli", title: "GitHub Copilot CLI", form: "json", key: "mcpServers" },
    more: { type: "local", tools: ["*"] },
    next: 'restart Copilot CLI; "/mcp show" shows the server',
    files: { user: () => join(home(), ".copilot/mcp-config.json") },
  },
  {
    ...{ name: "amp", title: "Amp", form: "json", key: "amp.mcpServers" },
    next: "restart Amp and approve the server",
    files: {
      project: (project) => join(project, ".amp/settings.json"),
      user: () => join(home(), ".config/amp/settings.json"),
    },
  },
  {
    ...{ name: "lmstudio", title: "LM Studio", form: "json", key: "mcpServers" },
    next: "restart LM Studio",
    files: { user: () => join(home(), ".lmstudio/mcp.json") },
  },
  {
    ...{ name: "continue", title: "Continue", form: "json", key: "mcpServers" },
    next: "reload the window of your editor",
    files: { project: (project) => join(project, ".continue/mcpServers/toolcall.json") },
  },
  {
    ...{ name: "qwen-code", title: "Qwen Code", form: "json", key: "mcpServers" },
    next: 'restart Qwen Code; "/mcp" shows the server',
    files: {
      project: (project) => join(project, ".qwen/settings.json"),
      user: () => join(home(), ".qwen/settings.json"),
    },
  },
];

/** The directory in which applications keep their settings. */
function applicationData(): string {
  if (os === "windows") return absolute("APPDATA") ?? `${home()}/AppData/Roaming`;
  return os === "darwin" ? `${home()}/Library/Application Support` : configDirectory();
}

/** The user's configuration directory, `XDG_CONFIG_HOME` or `~/.config`. */
function configDirectory(): string {
  const named = os === "darwin" ? undefined : absolute("XDG_CONFIG_HOME");
  return named ?? `${home()}/.config`;
}

/** The user's home directory. Throws if its variable is not set. */
function home(): string {
  const variable = os === "windows" ? "USERPROFILE" : "HOME";
  const path = absolute(variable);
  if (path !== undefined) return path;
  const why = `The variable ${variable} does not contain an absolute path`;
  throw new Error(`${why}; set it to your home directory`);
}

/** Returns the directory in a variable; `undefined` if it is unset or relative. */
function absolute(variable: string): string | undefined {
  const path = readVariable(variable)?.replaceAll("\\", "/") ?? "";
  return /^(\/|[A-Za-z]:\/)/.test(path) ? path : undefined;
}
