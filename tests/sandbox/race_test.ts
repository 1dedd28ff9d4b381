// deno-lint-ignore-file no-console
/** Attack P5 of docs/attacks.md: a directory is swapped for a symlink while calls use it. */
// tier: machine
import { expect } from "@std/expect";
import { raceTime } from "../support/attempts.ts";
import { landlockVersionHere } from "../../src/runner/sandbox/describe_confinement.ts";
import { call, temporaryDirectory } from "../support/executable.ts";

const version = landlockVersionHere();
if (version === 0) console.log("skipped: this kernel has no Landlock, which prevents P5");

/**
 * Exchanges the directory `d` and the symlink `bad` in one step, many thousands of times a second.
 */
const swapping = `
const { symbols } = Deno.dlopen("libc.so.6", {
  renameat2: { parameters: ["i32", "buffer", "i32", "buffer", "u32"], result: "i32" },
});
const [d, bad] = ["d\\0", "bad\\0"].map((name) => new TextEncoder().encode(name));
for (;;) {
  // AT_FDCWD and RENAME_EXCHANGE
  if (symbols.renameat2(-100, d, -100, bad, 2) !== 0) throw new Error("Cannot exchange them");
}`;

Deno.test({
  name:
    "race > P5 a directory that is swapped for a symlink does not open a denied path of the grant",
  ignore: version === 0,
  fn: async (t) => {
    using directory = temporaryDirectory();
    const [G, S] = [`${directory.path}/G`, `${directory.path}/G/S`];
    Deno.mkdirSync(`${G}/d`, { recursive: true });
    Deno.mkdirSync(S);
    Deno.writeTextFileSync(`${G}/d/file`, "inside");
    Deno.writeTextFileSync(`${S}/file`, "the secret");
    Deno.symlinkSync(S, `${G}/bad`);
    const stop = new AbortController();
    const swapper = new Deno.Command(Deno.execPath(), {
      args: ["eval", "--ext=js", swapping],
      cwd: G,
      signal: stop.signal,
      stdout: "null",
    }).spawn();
    const file_path = `${G}/d/file`;
    const counts = { tried: 0, done: 0, refused: 0, escaped: 0 };
    const isRacing = raceTime(40_000, () => counts.done > 0 && counts.refused > 0);
    const attempt = async () => {
      while (isRacing()) {
        counts.tried++;
        const flags = [`--allow-read=${G}`, `--deny-read=${S}`];
        const result = await call("Read", { file_path }, { flags });
        counts[result.isError ? "refused" : "done"]++;
        if (result.text.includes("secret")) counts.escaped++;
      }
    };
    await Promise.all([attempt(), attempt(), attempt()]);
    stop.abort();
    await swapper.status;
    await t.step(JSON.stringify(counts), () => {
      expect(counts.escaped).toBe(0);
      expect(counts.done).toBeGreaterThan(0);
      expect(counts.refused).toBeGreaterThan(0);
    });
  },
});
