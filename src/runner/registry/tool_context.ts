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

/** A program that a tool has started, in a process group of its own. */
export interface RunningProgram {
  /** The number of its process. */
  readonly pid: number;
  /** What it writes to stdout. */
  readonly stdout: ReadableStream<Uint8Array>;
  /** What it writes to stderr. */
  readonly stderr: ReadableStream<Uint8Array>;
  /** How the program itself ended; what it started may still run. */
  readonly status: Promise<{ code: number; signal: string | null }>;
  /**
   * Ends it: TERM for its group, and KILL for what is left half a second later; for
   * a tool that declares `run` with all that it started. To be called also when the
   * program itself has ended.
   */
  end(): Promise<void>;
  /** Opens the file that may hold its whole output after the call. */
  openOutput(): OutputFile;
}

/** How a program is started. */
export interface SpawnOptions {
  /** Variables of its environment that the tool itself chose. */
  env?: Readonly<Record<string, string>>;
}

/** What the engine lends a tool for one call. */
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
  /** Whether the flags let this call read `path`, for what a folder holds. */
  mayRead(path: string): boolean;
  /**
   * The directories above the paths of `needs` that hold a repository of git or jj, as far as
   * the call may not look for them itself.
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
  /** Whether the programs that it starts are held by the sandbox. */
  readonly isSandboxed: boolean;
  /** Whether the call runs as a background task: its whole output is kept, from the first byte. */
  readonly background: boolean;
  /** Whether the caller wants the data of the published output types beside the text. */
  readonly structured: boolean;
  /** Tells how far the call is, in a line; a background task is read with it meanwhile. */
  progress(line: string): void;
  /**
   * Takes the last line that a program has printed, while the call runs, at most one a second.
   * `undefined` when nobody listens: then the tool need not look for lines.
   */
  readonly followOutput: ((line: string) => void) | undefined;
  /**
   * Sends a request to a host that `needs` named, over the addresses that were
   * checked. Follows no redirect. Throws `permission_denied` for another host or port,
   * and a readable error when no answer comes.
   */
  fetch(url: string, request?: FetchRequest): Promise<Response>;
  /** What the tool keeps between calls; for one that uses `store`. */
  readonly store: Store;
  /** The settings that `Config` knows; for a tool that uses `settings`. */
  readonly settings: SettingsService;
  /** The background tasks; for a tool that uses `tasks`. */
  readonly tasks: TasksService;
  /**
   * Asks a person. Returns the answers by question: a label, labels joined by `", "`, or
   * the person's own words. Throws `unavailable` at once when nobody can be asked; for a
   * tool that uses `ask`.
   */
  ask(questions: readonly Question[]): Promise<Record<string, string>>;
  /**
   * Answers another tool call under the same flags, in a process of its own; for a
   * tool that uses `call`. Does not throw for a call that fails.
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
