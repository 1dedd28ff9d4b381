/** The log of the runtime's code cache, which a start empties. */
import { join } from "node:path";
import { expect } from "@std/expect";
import { ownArchitecture } from "../../../../scripts/head/native_head.ts";
import { executable, temporaryDirectory } from "../../../support/executable.ts";
import { run } from "../../../support/stand_in.ts";

/** The size of a log that the next start empties, in bytes. */
const LONG = 512 * 1024 + 1;

/** The tools whose code makes the log long. */
const TOOLS = ["Read", "Grep", "Edit", "Bash", "WebFetch", "navigate"];

/** Returns a function that starts the executable with this cache and returns the log's size. */
function startsWith(cache: string) {
  const env = { PATH: "/usr/bin:/bin", HOME: cache, TOOLCALL_CACHE_DIR: cache };
  return async (args: string[]) => {
    await run([executable, ...args], { env, cwd: cache });
    const files = [...Deno.readDirSync(cache)].find(({ isDirectory }) => isDirectory)!.name;
    const log = join(cache, files, "state", "v8_code_cache_v2-wal");
    return Deno.statSync(log).size;
  };
}

Deno.test({
  name: "code cache > a start empties a long log",
  ignore: ownArchitecture() === undefined,
  async fn() {
    using cache = temporaryDirectory();
    const start = startsWith(cache.path);
    const sizes: number[] = [];
    for (const tool of TOOLS) sizes.push(await start(["describe", tool]));
    for (const tool of TOOLS) sizes.push(await start([tool, "{}"]));
    // Each start adds what it compiled. A start that finds a long log empties it first.
    const emptied = sizes.filter((size, at) =>
      (sizes[at - 1] ?? 0) >= LONG && size < sizes[at - 1]!
    );
    expect(emptied.length).toBeGreaterThan(0);
    for (let starts = 0; starts < 4; starts++) await start(["Read", "{}"]);
    expect(await start(["Read", "{}"])).toBeLessThan(LONG);
  },
});
