/** The files that a program opens, checks and reads, from the system calls that strace prints. */

/** Whether strace works here. If not, it prints that tests are skipped. */
export function canTrace(): boolean {
  const { success } = run(["-f", "-o", "/dev/null", "true"]);
  // deno-lint-ignore no-console
  if (!success) console.log("skipped: strace is not installed, or may trace nothing here");
  return success;
}

/** The traced calls of a program. */
export interface Trace {
  /** The exit code. */
  code: number;
  /** The printed text. */
  stdout: string;
  /** The path of each call that opens a file and not only its path. */
  opened: readonly string[];
  /** The path of each call that opens or checks a file. */
  paths: readonly string[];
  /** The bytes of all reads. */
  bytes: number;
  /** The number of programs that were executed. */
  programs: number;
  /** The number of threads and processes that were started. */
  started: number;
}

const GROUPS = {
  open: ["open", "openat", "openat2"],
  look: ["stat", "lstat", "newfstatat", "statx", "access", "faccessat", "faccessat2", "readlink"],
  read: ["read", "pread64", "readv", "preadv"],
  execute: ["execve"],
  start: ["clone", "clone3", "fork", "vfork"],
};

/** Runs a program with its threads and child processes under strace. */
export function traceOf(
  command: readonly string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
): Trace {
  const log = Deno.makeTempFileSync({ prefix: "toolcall-strace-" });
  try {
    // strace skips the names that a processor does not have, which "?" allows.
    const names = Object.values(GROUPS).flat().map((name) => `?${name}`).join(",");
    const { code, stdout } = run(
      ["-f", "-qq", "-s", "4096", "-e", `trace=${names}`, "-o", log, ...command],
      options,
    );
    const lines = Deno.readTextFileSync(log).split("\n");
    const calls = (group: keyof typeof GROUPS) =>
      lines.filter((line) => GROUPS[group].includes(nameIn(line) ?? ""));
    const ends = (group: keyof typeof GROUPS) =>
      lines.filter((line) => GROUPS[group].includes(nameIn(line) ?? resumedIn(line) ?? ""))
        .map((line) => Number(/= (\d+)$/.exec(line)?.[1] ?? 0));
    const pathIn = (line: string) => /"((?:[^"\\]|\\.)*)"/.exec(line)?.[1] ?? "";
    return {
      ...{ code, stdout: new TextDecoder().decode(stdout) },
      opened: calls("open").filter((line) => !line.includes("O_PATH")).map(pathIn),
      paths: [...calls("open"), ...calls("look")].map(pathIn),
      bytes: ends("read").reduce((sum, each) => sum + each, 0),
      programs: calls("execute").length,
      started: calls("start").length,
    };
  } finally {
    Deno.removeSync(log);
  }
}

/** The name of the call that begins in a line. */
function nameIn(line: string): string | undefined {
  return /^\d+ +(\w+)\(/.exec(line)?.[1];
}

/** The name of the call that ends in a line, after strace has printed another thread. */
function resumedIn(line: string): string | undefined {
  return /^\d+ +<\.\.\. (\w+) resumed>/.exec(line)?.[1];
}

function run(args: readonly string[], options: Deno.CommandOptions = {}) {
  try {
    return new Deno.Command("strace", { ...options, args: [...args], stdin: "null" }).outputSync();
  } catch {
    return { success: false, code: 1, stdout: new Uint8Array() };
  }
}
