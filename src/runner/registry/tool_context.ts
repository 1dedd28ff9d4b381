import type { ProgramOutput } from "../../base/program_output.ts";
import type { ClientService } from "./client_service.ts";
import type { Mcp } from "./mcp_service.ts";
import type { EditsService } from "./edits_service.ts";
import type {
  FetchRequest,
  InnerCall,
  InnerResult,
  InnerTool,
  ModelApiName,
  PatchesService,
  Question,
  SettingsService,
  Store,
  TasksService,
} from "./services.ts";
import type { TodosService } from "./todos_service.ts";

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
  /** Its stdout. */
  readonly stdout: ProgramOutput;
  /** Its stderr. */
  readonly stderr: ProgramOutput;
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

/** The shell of a session, and what became of it in a call. */
export interface ShellReport {
  /** The name of the session. */
  session: string;
  /** `new` and `kept`: the next call finds all of its state. `ended`: its state is lost. */
  state: "kept" | "new" | "ended";
  /** A line for the model, if something happened to the shell. */
  note?: string;
}

/** A command that runs in the shell of a session. Its `end` interrupts it, and keeps the shell if possible. */
export interface ShellCommand extends RunningProgram {
  /** The state of the shell, once the command has ended. */
  readonly report: Promise<ShellReport>;
}

/** The shell of a session, which stays between calls. */
export interface Shell {
  /** Ends the shell and all that it has started. The next command starts a new one. */
  restart(): Promise<void>;
  /** Runs a command in it, after the commands of other calls. Starts the shell if it does not run. */
  start(command: string): ShellCommand;
}

/** Options for starting a program. */
export interface SpawnOptions {
  /** Additional environment variables. */
  env?: Readonly<Record<string, string>>;
  /** The real path of its working directory. The default is that of the call. */
  cwd?: string;
  /** The text for its stdin. Without it, the stdin is empty. */
  stdin?: string;
  /** Whether its stderr is the same pipe as its stdout, so that their order is kept; only for bash. */
  mergesOutput?: boolean;
}

/** A piece of a helper's output. */
export interface HelperPiece {
  /** The bytes, which are valid until the next piece is taken. Empty after a time of silence. */
  bytes: Uint8Array<ArrayBuffer>;
  /** Whether it was printed to stderr. */
  isMessage: boolean;
}

/** A running helper: a program that ships with this one. */
export interface HelperProcess {
  /** The number of its process. */
  readonly pid: number;
  /**
   * Its output, to its end. Throws the reason of the call's signal. A helper is killed if its output
   * is not taken to the end.
   */
  readonly pieces: AsyncIterable<HelperPiece>;
  /** Its exit status, once its output has ended. */
  status(): { code: number; signal: number | null };
  /** Whether it has hardly used the processor since the last question. */
  isIdle(): boolean;
}

/** The context of one call. */
export interface ToolContext {
  /** The real path of the call's working directory. */
  readonly cwd: string;
  /**
   * Aborted when the time limit passes (its reason is named `TimeoutError`) or
   * the call is cancelled (`AbortError`). A tool then has two seconds to end
   * what it started and to throw what it has.
   */
  readonly signal: AbortSignal;
  /** The authorised real path of a path that `needs` named. Throws for any other path. */
  path(path: string): string;
  /** Whether the flags let this call read `path`. Used to filter the contents of directories. */
  mayRead(path: string): boolean;
  /** Whether the flags let this call write `path`. Used for the contents of directories. */
  mayWrite(path: string): boolean;
  /** The directory of `--memory-dir`, a real path. */
  readonly memoryDirectory: string | undefined;
  /** The directories above the call's paths with a repository, if it may not look itself. */
  readonly repositories: readonly string[];
  /**
   * Starts a program in a clean environment, to which `env` is added. Its stdin is empty or `stdin`.
   * Throws when the call may not start programs or the program is missing.
   */
  spawn(program: string, args: readonly string[], options?: SpawnOptions): RunningProgram;
  /** The shell of a session. Present only in a call of a tool that declares `shell` and asks for it. */
  readonly shell?: (session: string) => Promise<Shell>;
  /**
   * Starts the helper that the tool declares, without an environment, in the working directory.
   * Throws `unavailable` if it is missing.
   */
  startHelper(args: readonly string[]): HelperProcess;
  /** The paths that are closed to the call, also inside what the flags allow to read. */
  readonly closedPaths: readonly string[];
  /** Whether the kernel closes them to the helper. Otherwise only the tool leaves them out. */
  readonly kernelClosesPaths: boolean;
  /** Whether the sandbox was entered for an earlier call. Then it may close files made since. */
  readonly isSandboxOld: boolean;
  /** Whether its child processes run in the sandbox. */
  readonly isSandboxed: boolean;
  /** Whether the call is a background task. Its whole output is then stored. */
  readonly background: boolean;
  /** Whether the caller wants structured data of the published output types beside the text. */
  readonly structured: boolean;
  /** Reports the progress of the call in one line. Readers of a background task see it. */
  progress(line: string): void;
  /** Takes a program's last line, at most once per second. Undefined if nobody listens. */
  readonly followOutput: ((line: string) => void) | undefined;
  /**
   * Takes the output of a program, as the result will hold it, while the program runs. Undefined if
   * no person watches.
   */
  readonly onOutput?: ((chunk: Uint8Array) => void) | undefined;
  /**
   * Sends a request to a host of `needs`, at the addresses that were checked. Follows no redirects.
   * Rejects with `permission_denied` for another host or port, and with a readable error when there
   * is no answer.
   */
  fetch(url: string, request?: FetchRequest): Promise<Response>;
  /** The values that the tool stores between calls. For tools that use `store`. */
  readonly store: Store;
  /** The to-do list of the session. For tools that use `todos`. */
  readonly todos: TodosService;
  /** The edits of files that can be undone. For tools that use `edits`. */
  readonly edits: EditsService;
  /** The settings. For tools that use `settings`. */
  readonly settings: SettingsService;
  /** The background tasks. For tools that use `tasks`. */
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
   * The tools that `call` can reach and that the flags, the settings and the machine allow. They
   * have the names of MCP's `tools/list`, and definitions for an API. For tools that use `call`.
   */
  listTools(api: ModelApiName): Promise<InnerTool[]>;
  /** The configured MCP servers. For tools that use `mcp`. */
  readonly mcp: Mcp;
  /** Changes several files at once. For tools that use `patches`. */
  readonly patches: PatchesService;
  /** The MCP client that the call came from. For tools that use `client`. */
  readonly client: ClientService;
}
