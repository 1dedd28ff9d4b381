// deno-lint-ignore-file no-console -- The test tries these functions.
/** Every way in which a tool may print. */
import process from "node:process";

const encoder = new TextEncoder();

const ways: Readonly<Record<string, () => void | Promise<unknown>>> = {
  log: () => console.log("log %s %d", "text", 3, { a: 1 }),
  info: () => console.info("info"),
  debug: () => console.debug("debug"),
  warn: () => console.warn("warn"),
  error: () => console.error("error"),
  table: () => console.table([{ column: 1 }]),
  dir: () => console.dir({ dir: 2 }),
  lines: () => console.log("first\nsecond"),
  clear: () => console.clear(),
  "Deno.stdout.writeSync": () => void Deno.stdout.writeSync(encoder.encode("written at once\n")),
  "Deno.stdout.write": () => Deno.stdout.write(encoder.encode("written\n")),
  "Deno.stdout.writable": async () => {
    const writer = Deno.stdout.writable.getWriter();
    await writer.write(encoder.encode("streamed\n"));
    writer.releaseLock();
  },
  "process.stdout.write": () => void process.stdout.write("by the process\n"),
};

/** Prints in one way, or in all ways, and returns a string. */
export async function say({ way }: Record<string, unknown>): Promise<string> {
  if (way === "flood") { for (let at = 0; at < 50_000; at++) console.log("x".repeat(100)); }
  else if (way === "all") { for (const each of Object.values(ways)) await each(); }
  else if (way !== "nothing") await ways[String(way)]!();
  return "answered";
}
