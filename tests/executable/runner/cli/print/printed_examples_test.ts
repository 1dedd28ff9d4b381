/** The examples that `describe` and `list --format=json` print work as they are printed. */
import { expect } from "@std/expect";
import { fixtures } from "../../../../support/example_world.ts";
import {
  oneLine,
  type Result,
  temporaryDirectory,
  toolcall,
} from "../../../../support/executable.ts";

interface Printed {
  name: string;
  requires: string[];
  examples: {
    description: string;
    input: unknown;
    expect: string;
    isError?: boolean;
    flags: string[];
  }[];
}

/** The examples that are not run, and why. */
const NOT_RUN: Readonly<Record<string, string>> = {
  "http://example.com": "it needs the network, and the page that it names",
  "webcal://example.com": "it needs the network, and the calendar that it names",
};

/** A directory that can be filled with unchanged fixtures, and one state for all examples. */
function desk() {
  const directory = temporaryDirectory();
  const state = temporaryDirectory();
  /** The fixtures by what their tools require. Each is copied for many examples. */
  const kept = new Map<string, ReturnType<typeof fixtures>>();
  return {
    path: directory.path,
    env: { HOME: state.path, XDG_STATE_HOME: `${state.path}/state` },
    fill(requires: readonly string[]) {
      for (const { name } of Deno.readDirSync(directory.path)) {
        Deno.removeSync(`${directory.path}/${name}`, { recursive: true });
      }
      const fresh = kept.getOrInsertComputed(
        requires.includes("git") ? "git" : "",
        () => fixtures({ requires }),
      );
      new Deno.Command("cp", { args: ["-a", `${fresh.path}/.`, directory.path] }).outputSync();
    },
    [Symbol.dispose]() {
      for (const each of kept.values()) each[Symbol.dispose]();
      directory[Symbol.dispose]();
      state[Symbol.dispose]();
    },
  };
}

const whyNot = (text: string) => Object.keys(NOT_RUN).find((part) => text.includes(part));

Deno.test("printed examples > the examples of list --format=json run with their flags", async (t) => {
  using here = desk();
  const { path: cwd, env } = here;
  const { stdout } = await toolcall(["list", "--format=json"], { cwd, env });
  let count = 0;
  for (const { name, requires, examples } of JSON.parse(stdout) as Printed[]) {
    for (const { description, input, flags, ...wanted } of examples) {
      const text = JSON.stringify(input);
      expect(text).not.toMatch(/\$[A-Z]/);
      if (whyNot(text) !== undefined) continue;
      count++;
      await t.step(`${name}: ${description}`, async () => {
        here.fill(requires);
        const run = await toolcall([...flags, name, text], { cwd, env });
        const { content, isError } = oneLine(run) as Result;
        const said = content.map(({ text }) => text ?? "").join("\n") + run.stdout;
        expect({ flags, said, isError }).toEqual({ flags, said, isError: wanted.isError === true });
        expect(said).toContain(wanted.expect);
      });
    }
  }
  expect(count).toBeGreaterThan(60);
});

Deno.test("printed examples > a shell reads the examples of describe as the examples of list", async (t) => {
  using here = desk();
  const { path: cwd, env } = here;
  const { stdout } = await toolcall(["list", "--format=json"], { cwd, env });
  for (const { name, examples } of JSON.parse(stdout) as Printed[]) {
    const page = await toolcall(["describe", name], { cwd, env });
    const commands = page.stdout.split("\n").filter((line) => line.startsWith("    toolcall "));
    expect(commands.length).toBe(examples.length);
    if (commands.every((each) => whyNot(each) !== undefined)) continue;
    await t.step(name, async () => {
      // The test above runs these calls.
      const calls = (await wordsOf(commands)).map((words) => {
        const [called, input, ...more] = words.slice(words.indexOf(name));
        return { flags: words.slice(0, words.indexOf(name)), called, input: asJson(input), more };
      });
      expect(calls).toEqual(
        examples.map(({ flags, input }) => ({ flags, called: name, input, more: [] })),
      );
    });
  }
});

/** The words that a shell gives to `toolcall` in each of the commands. */
async function wordsOf(commands: readonly string[]): Promise<string[][]> {
  const script = ["toolcall() { printf '%s\\0' \"$@\" ''; }", ...commands].join("\n");
  const { stdout, stderr } = await new Deno.Command("sh", { args: ["-ec", script] }).output();
  expect(new TextDecoder().decode(stderr)).toBe("");
  const calls = new TextDecoder().decode(stdout).split("\0\0").slice(0, -1);
  return calls.map((words) => words.split("\0"));
}

function asJson(text: string | undefined): unknown {
  return text === undefined ? undefined : JSON.parse(text);
}
