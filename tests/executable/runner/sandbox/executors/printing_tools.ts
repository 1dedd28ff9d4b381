/** The executable with tools that print in each way. */
import { takesTools, withTools } from "../../../../support/added_tools.ts";

const directory = "tests/executable/runner/sandbox/executors/prints/tools";

/** Whether the tests of these tools are skipped. */
export const ignore = !takesTools;

/**
 * A tool for each executor: in a Worker, in the kernel's sandbox, with the network, and in its own
 * process.
 */
export const tools = ["print_nothing_granted", "print_reader", "print_network", "print_program"];
const net = "--allow-net=127.0.0.1:9";
export const [scoped, open] = [["-R=.", net, "--allow-run=true"], ["-A", net]];

/** Each way to print, the text that it shows, and its level in MCP. */
export const ways: [way: string, seen: string[], level: string][] = [
  ["log", ["log text 3 { a: 1 }"], "info"],
  ["info", ["info"], "info"],
  ["debug", ["debug"], "debug"],
  ["warn", ["warn"], "warning"],
  ["error", ["error"], "error"],
  ["table", ["│ (index) │ column │"], "info"],
  ["dir", ["{ dir: 2 }"], "info"],
  ["lines", ["first", "second"], "info"],
  ["Deno.stdout.writeSync", ["written at once"], "info"],
  ["Deno.stdout.write", ["written"], "info"],
  ["Deno.stdout.writable", ["streamed"], "info"],
  ["process.stdout.write", ["by the process"], "info"],
];

let program: Awaited<ReturnType<typeof withTools>> | undefined;

globalThis.addEventListener("unload", () => program?.[Symbol.dispose]());

/** The executable with the tools, which are added once for all tests of a file. */
export async function added(): ReturnType<typeof withTools> {
  if (program !== undefined) return program;
  // Two test files may begin at the same time, and one must not empty the registry of the other.
  using lock = await Deno.open(new URL("prints/say.ts", import.meta.url));
  await lock.lock(true);
  return program = await withTools(directory, tools);
}
