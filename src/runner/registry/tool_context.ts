import type {
  FetchRequest,
  InnerCall,
  InnerResult,
  InnerTool,
  Mcp,
  Question,
  SettingsService,
  Store,
  TasksService,
} from "./services.ts";

/** A file that takes a program's output, open for writing. */
export interface OutputFile {
  /** Its path. */
  path: string;
  /** The open file. */
  file: Deno.FsFile;
  /** Gives up a file that could not take all: it is emptied, and removed where nobody else needs it. */
  discard?(): void;
}

/** A running child process in its own process group. */
export interface RunningProgram {
  /** The number of its process. */
  readonly pid: number;
  /** The stream of its stdout. */
  readonly stdout: ReadableStream<Uint8Array>;
  /** The stream of its stderr. */
  readonly stderr: ReadableStream<Uint8Array>;
  /** The exit status. Processes that it started may still run. */
  readonly status: Promise<{ code: number; signal: string | null }>;
  /**
   * Ends its process group with SIGTERM, and with SIGKILL after 0.5 s. For a tool that declares
   * `run`, this includes all descendants. Call it also after the program has ended.
   */
  end(): Promise<void>;
  /** Opens a file for the whole output. The file stays after the call. */
  openOutput(): OutputFile;
}

/** Options for starting a program. */
export interface SpawnOptions {
  /** Additional environment variables. */
  env?: Readonly<Record<string, string>>;
}

/** The context of one call. */
export interface ToolContext {
  /** The call's working folder, a real path. */
  readonly cwd: string;
  /**
   * Aborted when the time limit passes (its reason is named `TimeoutError`) or
   * the call is cancelled (`AbortError`). A tool then has two seconds to end
   * what it started and to throw what it has.
   */
  readonly signal: AbortSignal;
  /**
   * The real path of one that `needs` named: what was authorised is what is
   * used. Throws for any other path.
   */
  path(path: string): string;
  /** Whether the flags let this call read `path`. Used to filter the contents of directories. */
  mayRead(path: string): boolean;
  /**
   * The directories above the paths of `needs` that contain a repository of git or jj, if the call
   * may not look for them itself.
   */
  readonly repositories: readonly string[];
  /**
   * Starts a program with a clean environment, to which `env` is added, and no stdin.
   * Throws when the call may not start programs or the program is missing.
   */
  spawn(program: string, args: readonly string[], options?: SpawnOptions): RunningProgram;
  /**
   * The path of a program that ships inside the executable, or `undefined`
   * when it is missing or the tool may start no programs.
   */
  helper(name: "rg"): string | undefined;
  /** Whether its child processes run in the sandbox. */
  readonly isSandboxed: boolean;
  /** Whether the call is a background task. Its whole output is then stored. */
  readonly background: boolean;
  /** Whether the caller wants structured data of the published output types beside the text. */
  readonly structured: boolean;
  /** Tells how far the call is, in a line; a background task is read with it meanwhile. */
  progress(line: string): void;
  /**
   * Takes the last line that a program has printed, while the call runs, at most one a second.
   * `undefined` when nobody listens: then the tool need not look for lines.
   */
  readonly followOutput: ((line: string) => void) | undefined;
  /**
   * Sends a request to a host of `needs`, at the addresses that were checked. Follows no redirects.
   * Rejects with `permission_denied` for another host or port, and with a readable error when there
   * is no answer.
   */
  fetch(url: string, request?: FetchRequest): Promise<Response>;
  /** The values that the tool stores between calls. For tools that use `store`. */
  readonly store: Store;
  /** The settings that `Config` knows; for a tool that uses `settings`. */
  readonly settings: SettingsService;
  /** The background tasks; for a tool that uses `tasks`. */
  readonly tasks: TasksService;
  /**
   * Asks the user. Returns the answers by question: a label, labels joined by `", "`, or the user's
   * own words. Rejects with `unavailable` at once when there is no user to ask. For tools that use
   * `ask`.
   */
  ask(questions: readonly Question[]): Promise<Record<string, string>>;
  /**
   * Executes another tool call under the same flags, in a subprocess. Does not reject when that
   * call fails. For tools that use `call`.
   */
  call(call: InnerCall): Promise<InnerResult>;
  /**
   * The tools that `call` reaches and that the flags, the settings and the machine may allow. They
   * have the names of MCP's `tools/list`. For a tool that uses `call`.
   */
  listTools(): Promise<InnerTool[]>;
  /** The MCP servers that the configuration names; for a tool that uses `mcp`. */
  readonly mcp: Mcp;
}
