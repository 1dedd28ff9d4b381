import { concat } from "@std/bytes/concat";
import { CallError } from "../../base/errors.ts";
import { isObject } from "../../base/json/is_object.ts";
import { parseJson } from "../../base/json/parse_json.ts";
import { quote } from "../../base/text/quote.ts";
import type { Question } from "../registry/services.ts";

/** The expected output of a program. */
const SHAPE = '{"answers":{question: answer}} with a string for each question';
/** The most output of a program, in bytes. */
const MAX_OUTPUT = 1024 * 1024;
/** The most of its stderr that is kept, in bytes. */
const MAX_STDERR = 500;
/** The longest wait for output that other processes keep open, in milliseconds. */
const LEFT_OPEN_MS = 500;

/**
 * A shell script that passes the questions, one line, to the program. The shell interprets no text
 * of the call. When its input ends, also because this process was killed, it ends itself and the
 * program: it sends TERM to their group, and KILL half a second later.
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
 * Runs the program at an absolute path, with this environment and in the working directory of this
 * process, and returns its answers to the questions. Throws `unavailable` if it cannot be started,
 * `tool_failed` if it fails or its output is invalid, and the signal's reason.
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
    const stdout = new Output(starter.stdout, MAX_OUTPUT, end);
    const stderr = new Output(starter.stderr, MAX_STDERR);
    await input.write(new TextEncoder().encode(`${JSON.stringify({ questions })}\n`))
      .catch(() => {});
    const { code } = await starter.status;
    await Promise.all([stdout.settle(), stderr.settle()]);
    signal.throwIfAborted();
    if (stdout.isOver) throw failure(program, "it printed more than 1 MiB");
    if (code !== 0) throw failure(program, `it ended with exit code ${code}`, stderr);
    return parseAnswers(stdout.text(), questions, program);
  } finally {
    signal.removeEventListener("abort", end);
    end();
  }
}

/** Parses the output of the program. Throws `tool_failed` with the expected form if it is invalid. */
function parseAnswers(
  text: string,
  questions: readonly Question[],
  program: string,
): Record<string, string> {
  const fail = (why: string) => {
    const said = `Cannot use the answer of ${quote(program)}: expected ${SHAPE}, but ${why}`;
    return new CallError("tool_failed", said, { program });
  };
  const answers = answersMember(text);
  if (answers === undefined) throw fail(`it printed ${text === "" ? "nothing" : quote(text)}`);
  const asked = questions.map(({ question }) => question);
  for (const question of Object.keys(answers)) {
    if (!asked.includes(question)) {
      throw fail(`it answers ${quote(question)}, and that question was not asked`);
    }
  }
  return Object.fromEntries(asked.map((question) => {
    const answer = Object.hasOwn(answers, question) ? answers[question] : undefined;
    if (typeof answer === "string" && answer.trim() !== "") return [question, answer];
    throw fail(
      `${quote(question)} has ${answer === undefined ? "no answer" : "an answer that is not text"}`,
    );
  }));
}

/** Returns the member `answers` of a JSON text, or `undefined` if there is no such object. */
function answersMember(text: string): Record<string, unknown> | undefined {
  const json = parseJson(text);
  return isObject(json) && isObject(json["answers"]) ? json["answers"] : undefined;
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
      // The group of a new session can be ended as a whole.
      detached: true,
    }).spawn();
  } catch (error) {
    const why = `cannot start it: ${(error as Error).message}`;
    throw new CallError("unavailable", `Nobody answered ${quote(program)}: ${why}`, { program });
  }
}

function failure(program: string, why: string, stderr?: Output): CallError {
  const tail = stderr?.text() ?? "";
  const output = tail === "" ? "" : `; its last output: ${quote(tail, MAX_STDERR)}`;
  const message = `Nobody answered ${quote(program)}: ${why}${output}`;
  return new CallError("tool_failed", message, { program });
}

/** Reads a stream to its end, and keeps its last bytes. */
class Output {
  #stream: ReadableStreamDefaultReader<Uint8Array>;
  #bytes: Uint8Array = new Uint8Array();
  #ended: Promise<void>;
  /** True if the stream exceeded the limit. It is still read, so that the program is not blocked. */
  isOver = false;

  constructor(stream: ReadableStream<Uint8Array>, limit: number, onLimit = () => {}) {
    this.#stream = stream.getReader();
    this.#ended = this.#read(limit, onLimit).catch(() => {});
  }

  /** Waits for the end of the stream, but not long for processes that outlive the program. */
  async settle(): Promise<void> {
    const timer = setTimeout(() => this.#stream.cancel().catch(() => {}), LEFT_OPEN_MS);
    await this.#ended;
    clearTimeout(timer);
  }

  text(): string {
    return new TextDecoder().decode(this.#bytes).trim();
  }

  async #read(limit: number, onLimit: () => void): Promise<void> {
    for (;;) {
      const { value } = await this.#stream.read();
      if (value === undefined) return;
      const all = concat([this.#bytes, value]);
      this.isOver ||= all.length > limit;
      this.#bytes = all.subarray(-limit);
      if (this.isOver) onLimit();
    }
  }
}
