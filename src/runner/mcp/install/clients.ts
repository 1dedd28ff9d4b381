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
  /** Returns the absolute path of its file. Throws if a needed environment variable is not set. */
  file(place: Place): string;
}

/** The information that the path of a client's file depends on. */
export interface Place {
  /** The directory of the project. */
  project: string;
  /** The operating system. */
  os: typeof Deno.build.os;
  /** Looks up an environment variable. */
  env(name: string): string | undefined;
}

const STDIO = { type: "stdio" };

/**
 * The known clients. If a client reads both a file of the project and one of the user, `file` is the
 * project's, because the permissions of a server belong to one project.
 */
export const clients: readonly Client[] = [
  {
    name: "claude-code",
    title: "Claude Code",
    form: "json",
    key: "mcpServers",
    more: STDIO,
    // Claude Code also has ~/.claude.json, but rewrites it while it runs.
    file: ({ project }) => join(project, ".mcp.json"),
  },
  {
    name: "claude-desktop",
    title: "Claude Desktop",
    form: "json",
    key: "mcpServers",
    file: (place) => join(applicationData(place), "Claude/claude_desktop_config.json"),
  },
  {
    name: "cursor",
    title: "Cursor",
    form: "json",
    key: "mcpServers",
    more: STDIO,
    file: ({ project }) => join(project, ".cursor/mcp.json"),
  },
  {
    name: "vscode",
    title: "VS Code",
    form: "json",
    key: "servers",
    more: STDIO,
    file: ({ project }) => join(project, ".vscode/mcp.json"),
  },
  {
    name: "zed",
    title: "Zed",
    form: "json",
    key: "context_servers",
    file: (place) =>
      place.os === "windows"
        ? join(applicationData(place), "Zed/settings.json")
        : join(configFolder(place), "zed/settings.json"),
  },
  {
    name: "codex",
    title: "Codex",
    form: "toml",
    key: "mcp_servers",
    // The first start of a version unpacks it, which can exceed the default of 10 seconds.
    more: { startup_timeout_sec: 30 },
    // Codex ignores the file of a project until the user trusts the project.
    file: (place) => join(absolute(place, "CODEX_HOME") ?? `${home(place)}/.codex`, "config.toml"),
  },
  {
    name: "gemini",
    title: "Gemini CLI",
    form: "json",
    key: "mcpServers",
    file: ({ project }) => join(project, ".gemini/settings.json"),
  },
];

function applicationData(place: Place): string {
  if (place.os === "windows") return absolute(place, "APPDATA") ?? `${home(place)}/AppData/Roaming`;
  return place.os === "darwin" ? `${home(place)}/Library/Application Support` : configFolder(place);
}

function configFolder(place: Place): string {
  const named = place.os === "darwin" ? undefined : absolute(place, "XDG_CONFIG_HOME");
  return named ?? `${home(place)}/.config`;
}

function home(place: Place): string {
  const variable = place.os === "windows" ? "USERPROFILE" : "HOME";
  const path = absolute(place, variable);
  if (path !== undefined) return path;
  throw new Error(`The variable ${variable} holds no absolute path; set it to your home folder`);
}

/** Returns the directory in a variable; `undefined` if it is unset or relative. */
function absolute({ env }: Place, variable: string): string | undefined {
  const path = env(variable)?.replaceAll("\\", "/");
  return path !== undefined && /^(\/|[A-Za-z]:\/)/.test(path) ? path : undefined;
}
