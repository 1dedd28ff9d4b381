// deno-lint-ignore-file no-console
/** Attack L5 of docs/attacks.md: a program swaps the temporary file of a Write for a symlink. */
// tier: machine
import { fileURLToPath } from "node:url";
import { expect } from "@std/expect";
import { call, temporaryDirectory } from "../../support/executable.ts";
import { has } from "../../support/programs.ts";

const isRoot = Deno.uid() === 0;
if (!isRoot) console.log("skipped: only root can give files to others");

/** How many files the program swaps, and how many calls write at once. */
const [SWAPS, AT_ONCE] = [120, 2];
/** The owner of the file that is replaced, who must not become the owner of another file. */
const OTHER = 4242;

Deno.test({
  name: "L5 Write as root does not give a file outside the grant to the owner of the replaced file",
  ignore: !isRoot || !has("gcc"),
  fn: async (t) => {
    using directory = temporaryDirectory();
    const [grant, secret] = [`${directory.path}/grant`, `${directory.path}/secret`];
    const program = `${directory.path}/swap_owner`;
    const source = fileURLToPath(new URL("./swap_owner.c", import.meta.url));
    const compiled = new Deno.Command("gcc", { args: ["-O2", "-o", program, source] }).outputSync();
    expect(new TextDecoder().decode(compiled.stderr)).toBe("");
    Deno.mkdirSync(grant);
    const victims = Array.from({ length: AT_ONCE }, (_, at) => `${grant}/victim${at}`);
    const makeSecret = () => {
      Deno.writeTextFileSync(secret, "secret");
      Deno.chmodSync(secret, 0o600);
      Deno.chownSync(secret, 0, 0);
    };
    makeSecret();
    const flags = [`--allow-read=${grant}`, `--allow-write=${grant}`];
    const run = [...flags, `--allow-run=bash,${program}`];
    const command = `${program} ${grant} ${secret} ${SWAPS}`;
    const attack = call("Bash", { command, timeout: 600_000 }, { flags: run });
    const counts = { tried: 0, escaped: 0 };
    let isOver = false;
    const write = async (file_path: string) => {
      const content = "A".repeat(2_000_000);
      while (!isOver) {
        counts.tried++;
        Deno.removeSync(file_path, { recursive: true });
        Deno.writeTextFileSync(file_path, "old");
        Deno.chownSync(file_path, OTHER, OTHER);
        await call("Write", { file_path, content }, { flags });
        const { uid, mode } = Deno.statSync(secret);
        if (uid === 0 && (mode! & 0o777) === 0o600) continue;
        counts.escaped++;
        makeSecret();
      }
    };
    for (const victim of victims) Deno.writeTextFileSync(victim, "old");
    const writing = victims.map(write);
    const { text } = await attack;
    isOver = true;
    await Promise.all(writing);
    const swapped = Number(/swapped (\d+)/.exec(text)?.[1] ?? 0);
    await t.step(JSON.stringify({ ...counts, swapped }), () => {
      expect(swapped).toBe(SWAPS);
      expect(counts.escaped).toBe(0);
    });
  },
});
