/** The help fits every terminal, names every command and flag, and its examples work. */
import { fileURLToPath } from "node:url";
import { expect } from "@std/expect";
import { CALL_COMMANDS } from "../../../../src/runner/cli/flag.ts";
import { flags } from "../../../../src/runner/cli/flags.ts";
import { commandPages } from "../../../../src/runner/cli/print/command_pages.ts";
import { commandNames, helpText, helpTopics } from "../../../../src/runner/cli/print/help.ts";
import { atTerminal } from "../../../support/at_terminal.ts";
import { executable, temporaryDirectory } from "../../../support/executable.ts";
import { onTerminal, withoutColors } from "../../../support/on_terminal.ts";
import { hasTerminals } from "../../../support/pseudo_terminal.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));

for (const columns of [60, 80, 120]) {
  Deno.test({
    name: `help > no page is wider than ${columns} columns, and no word is broken`,
    ignore: !hasTerminals,
    fn: async () => {
      const pages = ["", "check", "mcp", "permissions", "exit-codes"];
      for (const page of pages) {
        const args = ["help", ...(page === "" ? [] : [page])];
        const { code, lines, broken, written } = await onTerminal(args, { columns });
        expect({ page, code, broken }).toEqual({ page, code: 0, broken: [] });
        expect(written).toContain("\x1b[");
        const plain = await onTerminal(args, { columns, env: { NO_COLOR: "1" } });
        expect(plain.written).not.toContain("\x1b[");
        expect(plain.lines).toEqual(lines);
        expect(withoutColors(written)).toBe(plain.written);
        // The words are the same as on a wide terminal.
        const words = (text: readonly string[]) => text.join(" ").split(/\s+/).sort();
        const wide = await onTerminal(args, { columns: 100, env: { NO_COLOR: "1" } });
        const isExample = (word: string) => word === "#";
        if (columns !== 60 || page === "") continue;
        expect(new Set(words(lines).filter((word) => !isExample(word))))
          .toEqual(new Set(words(wide.lines).filter((word) => !isExample(word))));
      }
    },
  });
}

Deno.test({
  name: "help > the short help has at most 24 lines of 80 columns and three examples",
  ignore: !hasTerminals,
  fn: async () => {
    const { lines } = await onTerminal(["help"], { columns: 80 });
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(lines.filter((line) => line.startsWith("  toolcall "))).toHaveLength(3);
    for (const name of commandNames) expect(lines.join("\n")).toContain(name);
    // A user who types only the name of the program sees the same.
    const bare = await atTerminal([], { columns: 80, env: { NO_COLOR: "1" } });
    expect(bare.code).toBe(0);
    expect(bare.lines).toEqual(lines);
  },
});

Deno.test("help > every command of the program has a page, and every page a command", () => {
  const source = Deno.readTextFileSync(`${root}src/runner/cli/main.ts`);
  const loaded = [...source.matchAll(/^ {2}\["([\w-]+)",/gm)].map(([, name]) => name!);
  // These are for child processes of this program only.
  const internal = ["run-task", "run-programs", "run-shell", "keep-server", "restore-patches"];
  expect(loaded.filter((name) => !internal.includes(name)).sort())
    .toEqual([...commandNames].sort());
  for (const { name, commands = [] } of flags) {
    const unknown = commands.filter((each) => ![...commandNames, ...internal].includes(each));
    expect({ name, unknown }).toEqual({ name, unknown: [] });
  }
  expect(CALL_COMMANDS).toContain("call");
});

Deno.test("help > the page of all commands names every flag, and every topic has a page", () => {
  const all = helpText("all")!;
  for (const { name } of flags) {
    if (name !== "help" && name !== "version") expect(all).toContain(`--${name}`);
  }
  for (const topic of helpTopics) expect(helpText(topic)).toContain(" ");
});

/** A document of an API with one operation. */
const PETSTORE = `openapi: 3.0.3
info: { title: Pets, version: "1" }
servers: [{ url: https://pets.example.com }]
paths:
  /pets:
    get: { operationId: listPets, responses: { "200": { description: The pets. } } }
`;

Deno.test("help > every page has two examples, and each of them works", async () => {
  using directory = temporaryDirectory();
  Deno.mkdirSync(`${directory.path}/bin`);
  Deno.symlinkSync(executable, `${directory.path}/bin/toolcall`);
  const call = JSON.stringify({ name: "fs.list", arguments: { path: "." } });
  const files = {
    "README.md": "# Project\n",
    ".env": "KEY=secret\n",
    "call.json": call,
    "calls.ndjson": `${call}\n${call}\n`,
    "calls.jsonl": "",
    "petstore.yaml": PETSTORE,
  };
  const env = {
    HOME: directory.path,
    PATH: `${directory.path}/bin:${Deno.env.get("PATH")}`,
    TOOLCALL_CACHE_DIR: `${directory.path}/cache`,
  };
  // The first example of "check" shows a call that is not granted yet.
  const expected = new Map([["toolcall check Bash command='git status'", 6]]);
  const topics = [...helpText("permissions")!.matchAll(/^ {2}(toolcall .*?)(?: {2}.*)?$/gm)]
    .map(([, command]) => command!);
  expect(topics.length).toBeGreaterThan(0);
  const commands = commandNames.flatMap((name) => {
    const { examples } = commandPages[name]!;
    expect({ name, count: examples.length >= (name === "version" ? 1 : 2) })
      .toEqual({ name, count: true });
    return examples.map(([command]) => command);
  });
  for (const [at, shown] of [...commands, ...topics].entries()) {
    // No server listens on this port, so an example with NATS ends with 8.
    const command = shown.replace("nats://127.0.0.1:4222", "nats://127.0.0.1:1");
    if (command !== shown) expected.set(command, 8);
    // `toolcall add` adds nothing in a pipe, and the server does not exist.
    if (command.startsWith("toolcall add ")) expected.set(command, 1);
    // An example may change the configuration.
    const project = `${directory.path}/project-${at}`;
    Deno.mkdirSync(project);
    for (const [name, text] of Object.entries(files)) {
      Deno.writeTextFileSync(`${project}/${name}`, text);
    }
    const isServer = command.startsWith("toolcall ui");
    const child = new Deno.Command("sh", {
      args: ["-c", isServer ? `exec ${command} --no-open` : command],
      ...{ cwd: project, env, stdin: "null", stdout: "null", stderr: "piped" },
    }).spawn();
    let said = "";
    let isStopped = false;
    for await (const part of child.stderr.pipeThrough(new TextDecoderStream())) {
      said += part;
      // A server runs until a signal comes.
      if (!isServer || isStopped || !said.includes("#token=")) continue;
      isStopped = true;
      child.kill("SIGTERM");
    }
    const { code } = await child.status;
    expect({ command, code, said }).toEqual({ command, code: expected.get(command) ?? 0, said });
  }
});
