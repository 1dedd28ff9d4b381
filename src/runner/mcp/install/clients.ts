import { join } from "@std/path/posix/join";

/** The command that starts a server: a program and its arguments. */
export interface ServerCommand {
  /** The absolute path of the program. */
  command: string;
  /** Its arguments. */
  args: readonly string[];
  /** Environment variables that it needs and clients do not pass on by default. */
  env?: Readonly<Record<string, string>>;
}

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
  more?: Readonly<Record<string, string | number>>;
  /**
   * Returns the absolute path of its file, for a project in that directory. Throws if a needed
   * environment variable is not set.
   */
  file(project: string): string;
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
 * The known clients. If a client reads both a file of the project and one of the user, `file` is
 * the project's, because the permissions of a server belong to one project.
 */
export const clients: readonly Client[] = [
  {
    name: "claude-code",
    title: "Claude Code",
    form: "json",
    key: "mcpServers",
    more: STDIO,
    // Claude Code also has ~/.claude.json, but rewrites it while it runs.
    file: (project) => join(project, ".mcp.json"),
  },
  {
    name: "claude-desktop",
    title: "Claude Desktop",
    form: "json",
    key: "mcpServers",
    file: () => join(applicationData(), "Claude/claude_desktop_config.json"),
  },
  {
    name: "cursor",
    title: "Cursor",
    form: "json",
    key: "mcpServers",
    more: STDIO,
    file: (project) => join(project, ".cursor/mcp.json"),
  },
  {
    name: "vscode",
    title: "VS Code",
    form: "json",
    key: "servers",
    more: STDIO,
    file: (project) => join(project, ".vscode/mcp.json"),
  },
  {
    name: "zed",
    title: "Zed",
    form: "json",
    key: "context_servers",
    file: () =>
      os === "windows"
        ? join(applicationData(), "Zed/settings.json")
        : join(configDirectory(), "zed/settings.json"),
  },
  {
    name: "codex",
    title: "Codex",
    form: "toml",
    key: "mcp_servers",
    // The first start of a version unpacks it, which can exceed the default of 10 seconds.
    more: { startup_timeout_sec: 30 },
    // Codex ignores the file of a project until the user trusts the project.
    file: () => join(absolute("CODEX_HOME") ?? `${home()}/.codex`, "config.toml"),
  },
  {
    name: "gemini",
    title: "Gemini CLI",
    form: "json",
    key: "mcpServers",
    file: (project) => join(project, ".gemini/settings.json"),
  },
];

function applicationData(): string {
  if (os === "windows") return absolute("APPDATA") ?? `${home()}/AppData/Roaming`;
  return os === "darwin" ? `${home()}/Library/Application Support` : configDirectory();
}

function configDirectory(): string {
  const named = os === "darwin" ? undefined : absolute("XDG_CONFIG_HOME");
  return named ?? `${home()}/.config`;
}

function home(): string {
  const variable = os === "windows" ? "USERPROFILE" : "HOME";
  const path = absolute(variable);
  if (path !== undefined) return path;
  throw new Error(`The variable ${variable} holds no absolute path; set it to your home folder`);
}

/** Returns the directory in a variable; `undefined` if it is unset or relative. */
function absolute(variable: string): string | undefined {
  const path = Deno.env.get(variable)?.replaceAll("\\", "/");
  return path !== undefined && /^(\/|[A-Za-z]:\/)/.test(path) ? path : undefined;
}
