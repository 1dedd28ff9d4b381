/** A tool in a new file of a copy of this checkout: it is generated, checked and called there. */
// tier: machine
import { fileURLToPath } from "node:url";
import { expect } from "@std/expect";
import { copyToWrite } from "../../support/example_world.ts";
import { temporaryDirectory } from "../../support/temporary_directory.ts";

Deno.test("tools > a hidden tool can be called but is not listed, and a new tool is one new file", () => {
  using directory = temporaryDirectory();
  const root = fileURLToPath(new URL("../../../", import.meta.url));
  const files = ["deno.json", "deno.lock", "main.ts", "worker.ts", "toolcall.schema.json"];
  for (const name of [...files, "src", "tools", "links", "scripts"]) {
    copyToWrite(`${root}${name}`, `${directory.path}/${name}`);
  }
  Deno.writeTextFileSync(`${directory.path}/tools/shout_loud.ts`, shoutLoud);
  const deno = (...args: string[]) =>
    new Deno.Command(Deno.execPath(), { args, cwd: directory.path, stdin: "null" }).outputSync();
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  expect(deno("run", "-A", "scripts/generate.ts", "--check").success).toBe(false);
  expect(deno("run", "-A", "scripts/generate.ts").success).toBe(true);
  expect(deno("run", "-A", "scripts/generate.ts", "--check").success).toBe(true);
  const said = deno("run", "-A", "main.ts", "ShoutLoud", '{"text":"hi"}');
  expect(decode(said.stdout)).toBe('{"content":[{"type":"text","text":"HI"}],"isError":false}\n');
  expect(decode(deno("run", "-A", "main.ts", "list").stdout)).not.toContain("ShoutLoud");
  const endless = deno("run", "-A", "main.ts", "ShoutLoud", '{"text":"forever"}');
  expect(decode(endless.stdout)).toContain('"code":"timeout"');
  expect(endless.code).toBe(7);
  // The generator names the fault that it refuses.
  const faults: [from: string, to: string, says: string][] = [
    ['name: "ShoutLoud"', 'name: "Read"', "belongs in tools/read.ts"],
    ['name: "ShoutLoud"', 'name: ""', "a name is empty"],
    ['name: "ShoutLoud"', 'name: "ShoutLoud", aliases: ["Grep"]', '"Grep" is taken by tools/'],
    ['title: "Shout",', "", '"title" is missing'],
    ['description: "The text"', 'descripton: "The text"', "descripton"],
    ["additionalProperties: false,", "", "additionalProperties"],
    ['input: { text: "hi" }', "input: { text: 5 }", 'the example "Be loud" breaks its schema'],
  ];
  for (const [from, to, says] of faults) {
    Deno.writeTextFileSync(`${directory.path}/tools/shout_loud.ts`, shoutLoud.replace(from, to));
    const refused = deno("run", "-A", "--no-check", "scripts/generate.ts");
    expect(refused.success).toBe(false);
    expect(decode(refused.stderr)).toContain(says);
  }
});

const shoutLoud = `import { defineTool } from "../src/runner/registry/define.ts";

export default defineTool({
  name: "ShoutLoud",
  title: "Shout",
  category: "utility",
  sideEffect: "none",
  optionality: "optional",
  usageHint: "When a text must be loud",
  inputSchema: {
    type: "object",
    properties: { text: { type: "string", description: "The text", minLength: 1 } },
    required: ["text"],
    additionalProperties: false,
  },
  examples: [{ description: "Be loud", input: { text: "hi" }, expect: "HI" }],
  permissions: { kinds: [], needs: () => [] },
  timeoutMs: 5_000,
  run(args) {
    while (args.text === "forever");
    return args.text.toUpperCase();
  },
});
`;
