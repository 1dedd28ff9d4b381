import { join } from "@std/path/posix/join";

/** How a server is started: a program and its arguments. */
export interface ServerCommand {
  /** The absolute path of the program. */
  command: string;
  /** Its arguments. */
  args: readonly string[];
  /** Variables that it needs, which clients do not pass on by themselves. */
  env?: Readonly<Record<string, string>>;
}

/** A program that MCP servers are configured for, and how its configuration is laid out. */
export interface Client {
  /** What it is called on the command line. */
  name: string;
  /** What people call it. */
  title: string;
  /** The language of its file; JSON may hold comments. */
  form: "json" | "toml";
  /** The member of the document that holds the servers by name. */
  key: string;
  /** What an entry has besides the command and its arguments. */
  more?: Readonly<Record<string, string | number>>;
  /** Its file, as an absolute path. Throws when the variables do not tell where that is. */
  file(place: Place): string;
}

/** What a client's file is found by. */
export interface Place {
  /** The folder of the project. */
  project: string;
  /** The system, as the runtime names it. */
  os: typeof Deno.build.os;
  /** Looks up an environment variable. */
  env(name: string): string | undefined;
}

const STDIO = { type: "stdio" };

/**
 * The known clients. Where a client reads a file of the project as it does one of the
 * user's, it is the project's: the permissions of a server are those of one project.
 */
export const clients: readonly Client[] = [
  {
    name: "claude-code",
    title: "Claude Code",
    form: "json",
    key: "mcpServers",
    more: STDIO,
    // The user's own ~/.claude.json is the program's memory, which it rewrites as it runs.
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
    // The first start of a version unpacks it. Codex waits 10 seconds where nothing is said.
    more: { startup_timeout_sec: 30 },
    // A project's own file counts only once the project is trusted.
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

/** A folder that a variable names; a relative one counts for nothing. */
function absolute({ env }: Place, variable: string): string | undefined {
  const path = env(variable)?.replaceAll("\\", "/");
  return path !== undefined && /^(\/|[A-Za-z]:\/)/.test(path) ? path : undefined;
}
