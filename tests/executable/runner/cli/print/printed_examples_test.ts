/** The examples that `describe` and `list --format=json` print work as they are printed. */
import { expect } from "@std/expect";
import { fixtures } from "../../../../support/example_world.ts";
import {
  executable,
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

/** A directory that can be filled with new fixtures, and one state for all examples. */
function desk() {
  const directory = temporaryDirectory();
  const state = temporaryDirectory();
  return {
    path: directory.path,
    env: { HOME: state.path, XDG_STATE_HOME: `${state.path}/state` },
    fill(requires: readonly string[]) {
      for (const { name } of Deno.readDirSync(directory.path)) {
        Deno.removeSync(`${directory.path}/${name}`, { recursive: true });
      }
      using fresh = fixtures({ requires });
      new Deno.Command("cp", { args: ["-a", `${fresh.path}/.`, directory.path] }).outputSync();
    },
    [Symbol.dispose]() {
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

Deno.test("printed examples > the examples of describe run in a shell", async (t) => {
  using here = desk();
  const { path: cwd, env } = here;
  const { stdout } = await toolcall(["list", "--format=json"], { cwd, env });
  const PATH = `${executable.slice(0, executable.lastIndexOf("/"))}:${Deno.env.get("PATH")}`;
  for (const { name, requires, examples } of JSON.parse(stdout) as Printed[]) {
    const page = await toolcall(["describe", name], { cwd, env });
    const commands = page.stdout.split("\n").filter((line) => line.startsWith("    toolcall "));
    expect(commands.length).toBe(examples.length);
    const [command] = commands.filter((each) => whyNot(each) === undefined);
    if (command === undefined) continue;
    await t.step(name, async () => {
      here.fill(requires);
      const example = examples[commands.indexOf(command)]!;
      const { stdout, code } = await new Deno.Command("sh", {
        args: ["-c", command],
        ...{ cwd, env: { ...env, PATH }, stdin: "null" },
      }).output();
      const said = new TextDecoder().decode(stdout);
      expect({ command, said, fails: code !== 0 })
        .toEqual({ command, said, fails: example.isError === true });
    });
  }
});
