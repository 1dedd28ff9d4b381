import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import type { Question } from "../registry/services.ts";
import { answersIn } from "./answers.ts";

/** The most that a program may print, in bytes. */
const MAX_OUTPUT = 1024 * 1024;
/** How much of what it says on stderr is kept, in bytes. */
const MAX_WORDS = 500;
/** How long output is waited for that others hold open when the program has ended, in milliseconds. */
const LEFT_OPEN_MS = 500;

/**
 * A shell that hands the questions, a line, to the program. It is not given any text to
 * interpret. When its input ends, also because this process was killed, so do it and the
 * program: TERM for their group, and KILL half a second later.
 */
const STARTER = `ended=
trap 'ended=yes' HUP INT TERM
IFS= read -r questions || exit 1
exec 3<&0
{
  trap '' HUP INT TERM
  read -r _ <&3
  kill -s TERM -- "-$$"
  sleep 0.5 || sleep 1
  kill -s KILL -- "-$$"
} >/dev/null 2>&1 &
watch=$!
printf '%s\\n' "$questions" | "$1" 3<&-
code=$?
exec >/dev/null 2>&1
[ ! "$ended" ] || wait "$watch"
kill -s KILL "$watch"
exit "$code"`;

/**
 * Starts the program of that absolute path, in the working folder and with the environment
 * given, and returns its answers to the questions. Throws `unavailable` when it cannot be
 * started, `tool_failed` when it ends in failure or its output is none, and the signal's reason.
 */
export async function askByProgram(
  questions: readonly Question[],
  { program, env, signal }: { program: string; env: Record<string, string>; signal: AbortSignal },
): Promise<Record<string, string>> {
  signal.throwIfAborted();
  const starter = start(program, env);
  const input = starter.stdin.getWriter();
  const end = () => void input.close().catch(() => {});
  signal.addEventListener("abort", end);
  try {
    const stdout = new Output(starter.stdout, { keep: "head", limit: MAX_OUTPUT, onLimit: end });
    const stderr = new Output(starter.stderr, { keep: "tail", limit: MAX_WORDS });
    await input.write(new TextEncoder().encode(`${JSON.stringify({ questions })}\n`))
      .catch(() => {});
    const { code } = await starter.status;
    await Promise.all([stdout.settle(), stderr.settle()]);
    signal.throwIfAborted();
    if (stdout.isOver) throw failure(program, "it printed more than 1 MiB");
    if (code !== 0) throw failure(program, `it ended with exit code ${code}`, stderr);
    return answersIn(stdout.text().trim(), { questions, program });
  } finally {
    signal.removeEventListener("abort", end);
    end();
  }
}

function start(program: string, env: Record<string, string>): Deno.ChildProcess {
  try {
    return new Deno.Command("/bin/sh", {
      args: ["-c", STARTER, "toolcall-ask", program],
      clearEnv: true,
      env,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
      // A session of its own, whose group can be ended.
      detached: true,
    }).spawn();
  } catch (error) {
    const why = `cannot start it: ${(error as Error).message}`;
    throw new CallError("unavailable", `Nobody answered ${quote(program)}: ${why}`, { program });
  }
}

function failure(program: string, why: string, stderr?: Output): CallError {
  const words = stderr?.text().trim() ?? "";
  const said = words === "" ? "" : `; its last words: ${quote(words, MAX_WORDS)}`;
  const message = `Nobody answered ${quote(program)}: ${why}${said}`;
  return new CallError("tool_failed", message, { program });
}

/** What a program writes, the beginning or the end of it. */
class Output {
  #stream: ReadableStreamDefaultReader<Uint8Array>;
  #bytes = new Uint8Array(0);
  #ended: Promise<void>;
  /** Whether there was more than the limit. */
  isOver = false;

  constructor(
    stream: ReadableStream<Uint8Array>,
    options: { keep: "head" | "tail"; limit: number; onLimit?: () => void },
  ) {
    this.#stream = stream.getReader();
    this.#ended = this.#read(options).catch(() => {});
  }

  /** Waits for the end, but not for those that hold the pipe open after the program's end. */
  async settle(): Promise<void> {
    const timer = setTimeout(() => this.#stream.cancel().catch(() => {}), LEFT_OPEN_MS);
    await this.#ended;
    clearTimeout(timer);
  }

  text(): string {
    return new TextDecoder().decode(this.#bytes);
  }

  async #read(
    { keep, limit, onLimit }: { keep: "head" | "tail"; limit: number; onLimit?: () => void },
  ): Promise<void> {
    for (;;) {
      const { value } = await this.#stream.read();
      if (value === undefined) return;
      // What is over the head is read all the same, so that the program is not held up.
      if (this.isOver && keep === "head") continue;
      const all = new Uint8Array(this.#bytes.length + value.length);
      all.set(this.#bytes);
      all.set(value, this.#bytes.length);
      this.isOver ||= all.length > limit;
      this.#bytes = keep === "head" ? all.subarray(0, limit) : all.subarray(-limit);
      if (this.isOver) onLimit?.();
    }
  }
}
