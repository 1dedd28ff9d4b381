import { copyJson } from "../../base/json/copy_json.ts";
import type { CallOptions, IncomingCall, Listeners, ToolCall } from "../call/call.ts";
import type { CallResult } from "../call/failure.ts";
import { visibleLines } from "../../base/text/escape_controls.ts";
import { printToStderr } from "../sandbox/executors/prints.ts";
import type { CommandLine, Process } from "./command.ts";
import { ElapsedLine } from "./print/elapsed_line.ts";
import { failureHelp } from "./print/failure_help.ts";
import { failureText, noteTexts, resultText } from "./print/result_page.ts";
import { layoutFor, plainLayout, type TextLayout } from "./print/style.ts";
import { writeAll } from "./streams.ts";

/**
 * The most of a program's output that is compared with the result, in characters. A result never
 * holds that much of it, so a longer output is not the start of its result.
 */
const MAX_COMPARED = 100_000;

/**
 * A command line that executes calls and whose results a person reads on a terminal. Results are
 * text on stdout. Failures, notes and progress are text on stderr.
 */
export class CallOnTerminal {
  readonly #line: CommandLine;
  readonly #process: Process;
  readonly #page: TextLayout;
  /** The layout of stderr, which may be a file. */
  readonly #errors: TextLayout;
  readonly #isQuiet: boolean;
  readonly #decoder = new TextDecoder();
  #given = new Map<IncomingCall, ToolCall>();
  #elapsed: ElapsedLine | undefined;
  /** The output of the running program that the terminal shows already, as the result holds it. */
  #shown = "";
  /** The end of that output, which may be the first half of a line end. */
  #rest = "";
  /** Whether that output ends within a line. */
  #isLineOpen = false;
  /** Resolves when all output that came so far is on the terminal. */
  #written: Promise<void> = Promise.resolve();

  /** Create it before a sandbox restricts the process, which then cannot read its environment. */
  constructor(line: CommandLine, process: Process) {
    this.#line = line;
    this.#process = process;
    this.#page = layoutFor(process.stdout);
    this.#errors = process.stderr.isTerminal() ? this.#page : plainLayout;
    this.#isQuiet = line.options.has("quiet");
  }

  /** Returns the options with which the calls report here while they run. */
  follow(calls: readonly IncomingCall[], options: CallOptions): CallOptions {
    // Executing a call repairs its arguments and adds defaults, and a person gave it without.
    this.#given = new Map(
      calls.flatMap((each) => "call" in each ? [[each, copyJson(each.call)]] : []),
    );
    const isOne = calls.length === 1;
    return { ...options, listeners: this.#listeners(options.listeners, nameOf(calls), isOne) };
  }

  #listeners(given: Listeners, label: string, isOne: boolean): Listeners {
    const { stderr } = this.#process;
    const line = this.#isQuiet || !stderr.isTerminal() ? undefined : new ElapsedLine(stderr, label);
    this.#elapsed = line;
    return {
      ...given,
      async onStep(step) {
        await given.onStep?.(step);
        if (step.tool === undefined) return;
        // Such a tool asks the person, on the same terminal.
        if (step.tool.metadata.sideEffect === "blocking") line?.end();
        else line?.rename(step.tool.metadata.name);
      },
      onPrint(print) {
        line?.clear();
        printToStderr(print);
      },
      ...(line && { onProgress: (progress: string) => line.report(progress) }),
      ...(isOne && { onOutput: (chunk: Uint8Array) => this.#showOutput(chunk) }),
    };
  }

  /** Shows the output of a program while it runs. */
  #showOutput(chunk: Uint8Array): void {
    this.#elapsed?.end();
    const text = this.#decoder.decode(chunk, { stream: true });
    if (this.#shown.length < MAX_COMPARED) this.#shown += text;
    if (text !== "") this.#isLineOpen = !text.endsWith("\n");
    const whole = this.#rest + text;
    this.#rest = whole.endsWith("\r") ? "\r" : "";
    this.#print(whole.slice(0, whole.length - this.#rest.length));
  }

  #print(output: string): void {
    const text = output.replaceAll(/\r\n?/g, "\n");
    this.#written = this.#written.then(() => writeAll(this.#process.stdout, visibleLines(text)))
      // Nobody reads a closed terminal, and the call goes on.
      .catch(() => {});
  }

  /** Prints the results of the calls, in order. */
  async print(
    results: readonly CallResult[],
    { calls, options, called = {} }: {
      calls: readonly IncomingCall[];
      options: Pick<CallOptions, "registry" | "cwd">;
      /** The call as far as it is known, if it could not be read. */
      called?: Partial<ToolCall>;
    },
  ): Promise<void> {
    this.#elapsed?.end();
    await this.#written;
    const { stdout, stderr } = this.#process;
    const paint = this.#page.paint;
    for (const [at, result] of results.entries()) {
      const asked = calls[at];
      const call = asked === undefined ? called : this.#given.get(asked) ?? called;
      if (results.length > 1) {
        const title = visibleLines(`${at + 1}. ${call.name ?? "a call that could not be read"}`);
        await writeAll(stdout, `${paint(title, "strong")}\n`);
      }
      if (this.#isLineOpen) await writeAll(stdout, "\n");
      if (result.isError) await this.#printFailure(result, { call, options });
      else if (this.#shown === "") await writeAll(stdout, resultText(result));
      if (this.#isQuiet) continue;
      for (const note of noteTexts(result)) {
        await writeAll(stderr, `${this.#errors.paint(`note: ${note}`, "faint")}\n`);
      }
    }
  }

  async #printFailure(
    result: CallResult,
    failed: { call: Partial<ToolCall>; options: Pick<CallOptions, "registry" | "cwd"> },
  ): Promise<void> {
    const { stderr } = this.#process;
    await writeAll(stderr, failureText(result, this.#errors, this.#shown));
    if (this.#isQuiet) return;
    const lines = await failureHelp(result, { ...failed, line: this.#line }, this.#errors);
    await writeAll(stderr, lines.map((line) => `${line}\n`).join(""));
  }
}

/** The first name of a call in the line that shows its time, before a tool is found. */
function nameOf([first]: readonly IncomingCall[]): string {
  const name = first !== undefined && "call" in first ? first.call.name : "call";
  const server = /^mcp__(.+?)__/.exec(name)?.[1];
  return server === undefined ? name : `Starting the MCP server ${server}`;
}
