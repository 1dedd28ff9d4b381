import type { Grants } from "./policy/grants.ts";
import { findProgram } from "./policy/programs.ts";
import type { Scope } from "./policy/scope.ts";
import { standBy } from "./executors/keeper.ts";

/** The files, processes and sockets of one test of the sandbox. Dispose of it to remove them. */
export interface SandboxScene extends AsyncDisposable {
  /** The directory of the tries, a real path. */
  path: string;
  /** The real path of bash. */
  bash: string;
  /** The grants that the sandbox must enforce. */
  grants: Grants;
  /** The arguments for bash, which prints the name of each try that succeeds. */
  args: readonly string[];
  /** The tries that succeed now, in a bash without a sandbox. */
  control(): Promise<Set<string>>;
  /** The tries that succeed in the sandbox of this thread, of which bash has printed some. */
  succeeded(printed: string): Set<string>;
}

/** The time that the tries may take, in milliseconds. */
export const MAX_TRY_MS = 10_000;

const SCRIPT = `port=$1 process=$2 engine=$3 system=$4
try() { if eval "$2"; then echo "$1"; fi; }
try begin true
try temporary 'echo x > "$TMPDIR/x" && read -r _ < "$TMPDIR/x"'
try read 'read -r _ < in/file'
try write 'echo x > out/file'
try secret 'read -r _ < secret'
try outside 'echo x > outside'
try input 'echo x > in/file'
try system '"$system" / > "$TMPDIR/x"'
try own out/program
try tcp ': < "/dev/tcp/127.0.0.1/$port"'
try udp 'echo x > "/dev/udp/127.0.0.1/$port"'
try process 'kill -0 "$process"'
try engine 'kill -0 "$engine"'
try mode 'chmod 0640 secret'
try hook 'echo x > out/.git/hooks/pre-commit'`;

/**
 * A shell outside the sandbox, which must not be signalled. It also removes the directory when this
 * process has ended, however that happens.
 */
const BYSTANDER = `read -r _; exec rm -rf -- "$1"`;

/**
 * Makes a directory with files to reach, a process to signal, and listeners. Programs that calls
 * with the write grant `writable` could have put into PATH are not used. Throws the error that
 * prevents this, such as a missing bash.
 */
export async function setSandboxScene(writable: Scope | undefined): Promise<SandboxScene> {
  const bash = findProgram("bash", writable)?.path;
  if (bash === undefined) throw new Error("The sandbox cannot be tested without bash");
  const path = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "toolcall-doctor-" }));
  const bystander = standBy(BYSTANDER, [path]);
  await using stack = new AsyncDisposableStack();
  stack.defer(() => bystander.close());
  for (const name of ["in", "out", "tmp"]) Deno.mkdirSync(`${path}/${name}`);
  Deno.mkdirSync(`${path}/out/.git/hooks`, { recursive: true });
  for (const name of ["in/file", "secret"]) Deno.writeTextFileSync(`${path}/${name}`, "x\n");
  Deno.writeTextFileSync(`${path}/out/program`, `#!${bash}\n`);
  Deno.chmodSync(`${path}/out/program`, 0o755);
  const tcp = stack.use(Deno.listen({ hostname: "127.0.0.1", port: 0 }));
  const connects = unixTry(`${path}/socket`, stack);
  const succeeded = (printed: string) =>
    new Set([...printed.split("\n"), ...(connects() ? ["unix"] : [])]);
  const system = findProgram("ls", writable)?.path ?? "ls";
  const values = [tcp.addr.port, bystander.pid, Deno.pid, system].map(String);
  const args = ["-c", SCRIPT, "bash", ...values];
  const allow = { read: [`${path}/in`], write: [`${path}/out`], run: [bash, "chmod"] };
  const kept = stack.move();
  return {
    path,
    bash,
    args,
    succeeded,
    grants: { all: false, allow, deny: {} },
    control: async () => {
      const { stdout } = await new Deno.Command(bash, {
        args,
        cwd: path,
        clearEnv: true,
        env: { TMPDIR: `${path}/tmp` },
        stdin: "null",
        stderr: "null",
        signal: AbortSignal.timeout(MAX_TRY_MS),
      }).output();
      return succeeded(new TextDecoder().decode(stdout));
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/**
 * Listens at a Unix socket and returns a function that tries to connect to it, by the C library.
 * Bash cannot connect, and the runtime gives up its own network inside the sandbox. The path of a
 * socket must be short: if it is too long, the function only tries to make a socket.
 */
function unixTry(path: string, stack: AsyncDisposableStack): () => boolean {
  try {
    const { symbols } = Deno.dlopen("libc.so.6", {
      socket: { parameters: ["i32", "i32", "i32"], result: "i32" },
      connect: { parameters: ["i32", "buffer", "u32"], result: "i32" },
      close: { parameters: ["i32"], result: "i32" },
    });
    let listens = true;
    try {
      stack.use(Deno.listen({ transport: "unix", path }));
    } catch {
      listens = false;
    }
    const [AF_UNIX, SOCK_STREAM] = [1, 1];
    // struct sockaddr_un: a 16-bit family and the path.
    const name = new Uint8Array([AF_UNIX, 0, ...new TextEncoder().encode(`${path}\0`)]);
    return () => {
      const socket = symbols.socket(AF_UNIX, SOCK_STREAM, 0);
      if (socket < 0) return false;
      const reached = !listens || symbols.connect(socket, name, name.length) === 0;
      symbols.close(socket);
      return reached;
    };
  } catch {
    return () => false;
  }
}
