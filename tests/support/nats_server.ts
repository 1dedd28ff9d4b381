/** Real NATS servers for tests, on loopback, each with its own directory. */
import { attempts } from "./attempts.ts";
import { temporaryDirectory } from "./temporary_directory.ts";
import { type Fault, FaultProxy } from "./fault_proxy.ts";
import { executable, type OtherProgram, type Result, type Run, toolcall } from "./executable.ts";
import { until as untilTrue } from "./wait.ts";

/** The minor version of the installed server, such as 9 for 2.9.10; undefined without a server. */
export const serverMinor: number | undefined = findMinor();

/** The reason why tests with NATS are skipped, or undefined if the server is installed. */
export const missingServer: string | undefined = serverMinor === undefined
  ? "nats-server is not installed (apt-get install nats-server)"
  : undefined;

function findMinor(): number | undefined {
  try {
    const { stdout } = new Deno.Command("nats-server", { args: ["--version"] }).outputSync();
    return Number(/ v2\.(\d+)\./.exec(new TextDecoder().decode(stdout))?.[1]);
  } catch {
    return undefined;
  }
}

/** Declares a test that needs a server. Without one it is skipped, and the reason is printed. */
export function natsTest(name: string, run: (server: NatsServer) => Promise<void>): void {
  if (missingServer !== undefined) tellSkipped(name, missingServer);
  Deno.test({
    name,
    ignore: missingServer !== undefined,
    async fn() {
      await using server = await NatsServer.start();
      await run(server);
    },
  });
}

/** Prints why a test is skipped. */
export function tellSkipped(name: string, reason: string): void {
  // deno-lint-ignore no-console -- The user must see why a test is skipped.
  console.log(`skipped: ${name}: ${reason}`);
}

/** The time limit of a wait, in milliseconds. `deno task test:full` makes ten times as many calls. */
const MAX_WAIT_MS = attempts(50 * 60_000);

/** A line of the log of a server that is ready. */
const READY = /Server is ready/;

/** Where a server runs: by default, on this machine. */
export interface ServerPlace {
  /** The address at which its clients reach it. */
  hostname?: string;
  /** The port there. */
  port?: number;
  /** The command that starts the server elsewhere, such as `["ip", "netns", "exec", "a"]`. */
  launcher?: readonly string[];
}

/** A running server. */
export class NatsServer implements AsyncDisposable {
  readonly port: number;
  readonly #hostname: string;
  readonly #command: readonly string[];
  #child: Deno.ChildProcess | undefined;

  private constructor(
    readonly directory: string,
    readonly config: string,
    { hostname = "127.0.0.1", port = freePort(), launcher = [] }: ServerPlace,
    readonly remove: () => void,
  ) {
    this.port = port;
    this.#hostname = hostname;
    this.#command = [...launcher, "nats-server"];
  }

  /** Starts a server with JetStream. `config` is added to its configuration. */
  static async start(config = "", place: ServerPlace = {}): Promise<NatsServer> {
    const directory = temporaryDirectory();
    const path = directory.path;
    const server = new NatsServer(path, config, place, () => directory[Symbol.dispose]());
    await server.begin();
    return server;
  }

  /** Its URL. */
  get url(): string {
    return `nats://${this.#hostname}:${this.port}`;
  }

  /** The memory of the process. */
  memoryBytes(): number {
    const status = Deno.readTextFileSync(`/proc/${this.#child!.pid}/status`);
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)![1]) * 1_024;
  }

  /** Starts the process, again after {@link kill}. */
  async begin(): Promise<void> {
    const file = `${this.directory}/nats.conf`;
    const log = `${this.directory}/nats.log`;
    const text = `listen: "${this.#hostname}:${this.port}"
log_file: "${log}"
jetstream { store_dir: "${this.directory}/js" }
${this.config}
`;
    Deno.writeTextFileSync(file, text);
    Deno.writeTextFileSync(log, "");
    const options = { stdin: "null", stdout: "null", stderr: "null" } as const;
    const [command = "", ...args] = [...this.#command, "-c", file];
    this.#child = new Deno.Command(command, { args, ...options }).spawn();
    let hasEnded = false;
    this.#child.status.then(() => hasEnded = true);
    const isReady = () => READY.test(Deno.readTextFileSync(log));
    await untilTrue(() => hasEnded || isReady());
    if (!isReady()) throw new Error(`The server does not start: ${Deno.readTextFileSync(log)}`);
  }

  /** Kills the process at once. */
  async kill(): Promise<void> {
    this.#child?.kill("SIGKILL");
    if (this.#child !== undefined) await within(this.#child.status);
    this.#child = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    this.remove();
  }
}

/** Returns a port that is free now. */
export function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

/** A running `toolcall worker`. */
export class RunningWorker implements AsyncDisposable {
  #stderr = "";
  #read: Promise<void>;

  private constructor(readonly child: Deno.ChildProcess, readonly proxy?: FaultProxy) {
    this.#read = this.#collect();
  }

  /** Starts a worker, and waits until it offers its tools. It is killed or stopped at `fault`. */
  static async start(
    url: string,
    flags: readonly string[],
    { program = { command: executable, args: [] }, fault, ...options }: {
      fault?: Fault | undefined;
      env?: Record<string, string>;
      cwd?: string;
      program?: OtherProgram | undefined;
    } = {},
  ): Promise<RunningWorker> {
    const proxy = fault === undefined ? undefined : new FaultProxy(url, fault);
    const args = [...program.args, "worker", `--nats=${proxy?.url ?? url}`, ...flags];
    const child = new Deno.Command(program.command, {
      ...{ args, ...options, stdin: "null", stdout: "null", stderr: "piped" },
    }).spawn();
    if (proxy !== undefined) proxy.worker = child;
    const worker = new RunningWorker(child, proxy);
    let isEnded = false;
    worker.#read.then(() => isEnded = true);
    try {
      const offers = () => / offers /.test(worker.#stderr);
      await until(() => isEnded || offers());
      // A worker that is killed at its first call may have ended already.
      if (!offers()) throw new Error("The worker has ended");
    } catch (error) {
      await worker.end("SIGKILL");
      throw new Error(`${(error as Error).message}: ${worker.#stderr}`);
    }
    return worker;
  }

  /** The text that the worker has printed on stderr. */
  get stderr(): string {
    return this.#stderr;
  }

  /** The name that the worker gave itself. */
  get name(): string {
    return / worker (\S+) offers/.exec(this.#stderr)![1]!;
  }

  /** Sends a signal, and waits for the end. Returns the exit code. */
  async end(signal: Deno.Signal = "SIGTERM"): Promise<number> {
    try {
      this.child.kill(signal);
    } catch { /* It has ended. */ }
    const { code } = await within(this.child.status);
    await within(this.#read);
    this.proxy?.[Symbol.dispose]();
    return code;
  }

  /** Continues the process after a stop. */
  wake(): void {
    this.child.kill("SIGCONT");
    this.proxy?.release();
  }

  /** Waits until a signal has ended it. Returns the name of the signal. */
  async killed(): Promise<Deno.Signal | null> {
    return (await within(this.child.status)).signal;
  }

  async #collect(): Promise<void> {
    for await (const text of this.child.stderr.pipeThrough(new TextDecoderStream())) {
      this.#stderr += text;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end("SIGKILL");
  }
}

/** Resolves when the condition is true. Throws an `Error` if it stays false for `MAX_WAIT_MS`. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  if (await untilTrue(condition, MAX_WAIT_MS)) return;
  throw new Error(`Waited ${MAX_WAIT_MS} ms in vain for: ${condition}`);
}

/** Returns the value of a promise. Throws an `Error` if it is not settled within `MAX_WAIT_MS`. */
export async function within<T>(promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const settle = () => void (isSettled = true);
  promise.then(settle, settle);
  await until(() => isSettled);
  return await promise;
}

/** Whether there is a file at a path. */
export function existsFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/** Makes the streams of a server. */
export async function initStreams(url: string, flags: readonly string[] = []): Promise<Run> {
  const run = await toolcall(["worker", "init", `--nats=${url}`, ...flags]);
  if (run.code !== 0) throw new Error(`worker init: ${run.stderr}`);
  return run;
}

/** Runs one call over NATS, and returns its result and the exit code. */
export async function remoteCall(
  url: string,
  [name, args]: readonly [name: string, args: Record<string, unknown>],
  flags: readonly string[] = [],
): Promise<Result & { exit: number; text: string }> {
  const run = await toolcall(["call", `--nats=${url}`, ...flags, name, JSON.stringify(args)]);
  const result = JSON.parse(run.stdout) as Result;
  return { ...result, exit: run.code, text: result.content[0]?.text ?? "" };
}
