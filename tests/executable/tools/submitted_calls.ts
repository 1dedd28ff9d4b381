/** Runs calls in one process, where a test has many of them with the same flags. */
import { exitCodes } from "../../../src/runner/call/failure.ts";
import { oneLine, type Result, toolcall } from "../../support/executable.ts";

/** A call of a tool. */
export interface Call {
  name: string;
  arguments: Record<string, unknown>;
}

/** The result of a call, and the exit code that the call would have as a process. */
export type Submitted = Result & { exit: number; text: string };

/** Runs the calls in one process of `toolcall submit`. Returns their results in the same order. */
export async function submitCalls(
  calls: readonly Call[],
  options: { flags?: string[]; cwd?: string; env?: Record<string, string>; jobs?: number } = {},
): Promise<Submitted[]> {
  const { flags = [], jobs = 2, ...where } = options;
  const { stdout, stderr } = await toolcall([
    ...[...flags, "submit", "--ordered", "--quiet", `--jobs=${jobs}`],
  ], {
    ...where,
    stdin: calls.map(({ name, arguments: args }, id) =>
      `${JSON.stringify({ id, call: { name, arguments: args } })}\n`
    ).join(""),
  });
  const lines = stdout.split("\n");
  if (lines.length !== calls.length + 1) {
    throw new Error(`${calls.length} calls have ${lines.length - 1} results; ${stderr}`);
  }
  return calls.map((_, at) => {
    const result = oneLine({ code: 0, stdout: `${lines[at]}\n`, stderr }) as Result;
    const failure: { code: string } | undefined = result._meta?.["toolcall/error"];
    const exit = failure === undefined ? 0 : exitCodes[failure.code as keyof typeof exitCodes];
    return { ...result, exit, text: result.content[0]?.text ?? "" };
  });
}
