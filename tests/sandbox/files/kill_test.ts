// tier: machine
import { fileURLToPath } from "node:url";
import { expect } from "@std/expect";
import { attempts } from "../../support/attempts.ts";
import { nextTurn, pause, until } from "../../support/wait.ts";
import { scratchDirectory } from "../../support/scratch_directory.ts";
import { book, version } from "./tool_loop.ts";

const LOOP = fileURLToPath(new URL("./tool_loop.ts", import.meta.url));
const KILLS = attempts(400);

function start(...args: string[]): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "--no-check", LOOP, ...args],
    stdin: "null",
    stdout: "null",
    stderr: "inherit",
  }).spawn();
}

/** Kills a loop at a random moment after its first change of the file. */
async function killOnce(what: string, path: string): Promise<void> {
  const before = Deno.statSync(path).ino;
  const child = start(what, path);
  expect(await until(() => Deno.statSync(path).ino !== before)).toBe(true);
  await pause(Math.random() * 40, "The kill comes at a random moment of a change");
  child.kill("SIGKILL");
  await child.status;
}

const loops: [what: string, content: (number: number) => string][] = [
  ["write", version],
  ["edit", version],
  ["notebook", book],
];

for (const [what, content] of loops) {
  Deno.test(`${what} > J10 a killed call leaves the old file or the new one`, async () => {
    using directory = scratchDirectory();
    const path = `${directory.path}/file`;
    const whole = new Set(Array.from({ length: 10 }, (_, i) => content(i)));
    Deno.writeTextFileSync(path, content(0));
    const seen = new Set<string>();
    let isRunning = true;
    const reader = (async () => {
      for (; isRunning; await nextTurn()) {
        expect(whole.has(Deno.readTextFileSync(path))).toBe(true);
      }
    })();
    for (let kill = 0; kill < KILLS; kill++) {
      await killOnce(what, path);
      const left = Deno.readTextFileSync(path);
      expect(whole.has(left)).toBe(true);
      seen.add(left);
    }
    isRunning = false;
    await reader;
    expect(seen.size).toBeGreaterThan(3);
    const names = [...Deno.readDirSync(directory.path)].map(({ name }) => name);
    expect(names.filter((name) => !/^(file|\.file\.toolcall-[0-9a-f]{32})$/.test(name))).toEqual(
      [],
    );
  });
}

Deno.test("edit > no edit is lost when several processes edit a file at the same time", async () => {
  using directory = scratchDirectory();
  const path = `${directory.path}/file`;
  const [processes, each] = [6, 50];
  const lines = (text: (i: number) => string) =>
    Array.from({ length: processes * each }, (_, i) => `${text(i)}\n`);
  Deno.writeTextFileSync(path, lines((i) => `<${i}>`).join(""));
  const children = Array.from(
    { length: processes },
    (_, i) => start("mark", path, String(i * each), String(each)),
  );
  const ended = await Promise.all(children.map((child) => child.status));
  expect(ended.every(({ success }) => success)).toBe(true);
  expect(Deno.readTextFileSync(path)).toBe(lines((i) => `done ${i}.`).join(""));
  expect([...Deno.readDirSync(directory.path)].length).toBe(1);
});
