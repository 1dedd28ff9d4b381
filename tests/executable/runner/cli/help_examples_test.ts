/** The examples in the help work. */
// tier: machine
import { expect } from "@std/expect";
import { commandPages } from "../../../../src/runner/cli/print/command_pages.ts";
import { commandNames, helpText } from "../../../../src/runner/cli/print/help.ts";
import { executable, temporaryDirectory } from "../../../support/executable.ts";

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
  const expected = new Map([
    ["toolcall check Bash command='git status'", 6],
    // The project has no configuration that could be trusted.
    ["toolcall config trust", 8],
  ]);
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
