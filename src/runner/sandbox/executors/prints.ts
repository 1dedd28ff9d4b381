import { lookupTable } from "../../../base/lookup_table.ts";

/**
 * The prints of tools. None of them may reach stdout, which is only for the result. A process of
 * this program that runs a call for another one prints them, and progress, in lines before it.
 */

/** The urgency of a print, in MCP's words. */
export type PrintLevel = "debug" | "info" | "warning" | "error";

/** A print of a tool. */
export interface Print {
  /** The name of the tool. */
  tool: string;
  /** Its urgency. */
  level: PrintLevel;
  /** The text, which may have several lines. */
  text: string;
}

/** Takes what a tool prints. */
export type TakePrint = (print: Print) => void;

/** The level of what each method of the console prints. */
const METHODS = lookupTable<PrintLevel>({
  ...{ log: "info", info: "info", dir: "info", dirxml: "info", table: "info", clear: "info" },
  ...{ group: "info", groupCollapsed: "info", groupEnd: "info" },
  ...{ count: "info", countReset: "info", time: "info", timeLog: "info", timeEnd: "info" },
  ...{ debug: "debug", warn: "warning", error: "error", trace: "error", assert: "error" },
});

/** The most of one call's prints that another thread or process gets, in characters. */
const MAX_PRINTED = 2 ** 20;

/** The part of stdout that is used here. */
interface Stdout {
  write(data: Uint8Array): Promise<number>;
  writeSync(data: Uint8Array): number;
  isTerminal(): boolean;
}

/** The text of a print, with the tool's name before each line. */
export function printed({ tool, text }: Print): string {
  return text.replace(/\n$/, "").replace(/^/gm, () => `${tool}: `);
}

/** Writes what a tool prints to stderr. */
export function printToStderr(print: Print): void {
  shared.toStderr("%s", printed(print));
}

/** Limits the prints that reach `take`, which may be slower than a tool prints. */
export function limitPrints(take: TakePrint): TakePrint {
  let left = MAX_PRINTED;
  return (print) => {
    if (left <= 0) return;
    left -= print.text.length + 1;
    take(left > 0 ? print : { ...print, text: "[Further output is omitted]" });
  };
}

/** The tool that prints in this thread, and the receiver of its prints. */
interface Speaker {
  tool: string;
  take: TakePrint;
}

/** The state of this thread. */
interface Shared {
  /** The console's way to stderr, which writes at once, also when the process is about to end. */
  toStderr(...args: unknown[]): void;
  /** The speaker in a thread that does not distinguish its calls. */
  only: Speaker;
  /** The speaker that prints now. */
  speaker(): Speaker;
}

// In the bundle a module that is loaded late has a copy of this one.
const key = Symbol.for("toolcall.prints");
const shared: Shared = (globalThis as unknown as Record<symbol, Shared>)[key] ??= {
  // deno-lint-ignore no-console -- It is the one way to stderr that needs no stream.
  toStderr: console["error"],
  only: { tool: "toolcall", take: printToStderr },
  speaker: () => shared.only,
};

/** Names the tool whose code runs from now on, and the receiver of its prints. */
export function hear(tool: string, take: TakePrint = printToStderr): void {
  Object.assign(shared.speaker(), { tool, take });
}

/**
 * Distinguishes the calls of this thread from now on. Returns a function that runs a call, in which
 * {@link hear} names the tool.
 */
export async function hearByCall(): Promise<<T>(call: () => T) => T> {
  const { AsyncLocalStorage } = await import("node:async_hooks");
  const speakers = new AsyncLocalStorage<Speaker>();
  shared.speaker = () => speakers.getStore() ?? shared.only;
  return (call) => speakers.run({ ...shared.only }, call);
}

/**
 * Redirects all that this thread prints, by the console or to `stdout`, to its receiver, which is
 * stderr by default. Returns the only way to `stdout` that is left.
 */
export function redirectPrints(stdout: Stdout): Stdout {
  const [write, writeSync] = [stdout.write.bind(stdout), stdout.writeSync.bind(stdout)];
  let level: PrintLevel = "info";
  const print = (text: string) => {
    const { tool, take } = shared.speaker();
    take({ tool, level, text });
  };
  let console_: Record<string, (...args: unknown[]) => void> | undefined;
  const methods = console as unknown as Record<string, (...args: unknown[]) => void>;
  for (const name in METHODS) {
    methods[name] = (...args) => {
      level = METHODS[name]!;
      try {
        (console_ ??= makeConsole(print))[name]!(...args);
      } finally {
        level = "info";
      }
    };
  }
  const take = (data: Uint8Array) => {
    print(new TextDecoder().decode(data));
    return data.length;
  };
  Object.assign(stdout, {
    writeSync: take,
    write: (data: Uint8Array) => Promise.resolve(take(data)),
  });
  const writable = () => new WritableStream<Uint8Array>({ write: (data) => void take(data) });
  Object.defineProperty(stdout, "writable", { get: writable, configurable: true });
  return { write, writeSync, isTerminal: () => stdout.isTerminal() };
}

/** A console of Node's, which formats as ours does. It takes long to load, so a print loads it. */
function makeConsole(print: (text: string) => void): Record<string, (...args: unknown[]) => void> {
  const { process } = globalThis as unknown as {
    process: { getBuiltinModule(name: string): { Console: new (options: object) => never } };
  };
  const { Console } = process.getBuiltinModule("node:console");
  const stream = { write: print, on() {}, once() {}, removeListener() {}, listenerCount: () => 0 };
  return new Console({ stdout: stream, stderr: stream });
}

/** The first characters of a line of progress, and of a printed line. A result begins otherwise. */
const [PROGRESS, PRINT] = ['{"progress":', '{"print":'];

/** The receivers of reports that come before the result. */
export interface Reports {
  /** Takes a line of progress. */
  onProgress?: ((line: string) => void) | undefined;
  /** Takes what a tool prints. */
  onPrint: TakePrint;
}

/** A line of progress, as the process that runs the call prints it before its result. */
export function progressLine(line: string): string {
  return `${JSON.stringify({ progress: line })}\n`;
}

/** A line with a print of a tool, as that process prints it before its result. */
export function printLine(print: Print): string {
  return `${JSON.stringify({ print })}\n`;
}

/** Hands on what a line reports. Returns false for any other line. */
export function takeReport(line: string, { onProgress, onPrint }: Reports): boolean {
  if (line.startsWith(PROGRESS)) onProgress?.(JSON.parse(line).progress);
  else if (line.startsWith(PRINT)) onPrint(JSON.parse(line).print);
  else return false;
  return true;
}
