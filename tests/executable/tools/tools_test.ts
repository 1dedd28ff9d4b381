/** The rules for all tools, and the examples of every tool, run by the executable. */
import { fileURLToPath } from "node:url";
import { expect } from "@std/expect";
import { Ajv2020 } from "ajv/dist/2020.js";
import { realPath } from "../../../src/runner/sandbox/policy/paths.ts";
import { entries } from "../../../tools/_generated/index.ts";
import { copyToWrite, fixtures, startSite } from "../../support/example_world.ts";
import { call, oneLine, temporaryDirectory, toolcall } from "../../support/executable.ts";

const tools = await Promise.all(entries.map(async (entry) => {
  const { metadata, validate, load } = await entry.load();
  return { entry, metadata, validate, definition: await load() };
}));

/** Checks that a result has data exactly if its tool has an output schema, and that it fits. */
function expectStructure(schema: Record<string, unknown> | undefined, data: unknown): void {
  if (schema === undefined) return expect(data).toBeUndefined();
  const ajv = new Ajv2020({ strict: true, allErrors: true });
  expect([ajv.validate(schema, data), ajv.errorsText()]).toEqual([true, "No errors"]);
}

for (const { metadata, definition } of tools) {
  const { name, examples } = metadata;
  for (const example of examples) {
    Deno.test(`${name} > example: ${example.description}`, async (t) => {
      using directory = fixtures(metadata);
      await using site = startSite();
      const input = JSON.parse(
        JSON.stringify(example.input).replaceAll("$ROOT", directory.path)
          .replaceAll("$SERVER", site.host),
      );
      const allowed = [`--allow-read=${directory.path}`, `--allow-write=${directory.path}`];
      const spawns = definition.permissions.kinds.includes("run");
      const net = definition.permissions.kinds.includes("net") ? [`--allow-net=${site.host}`] : [];
      if (definition.permissions.kinds.includes("mcp")) allowed.push("--allow-mcp");
      const [memory] = (example.flags ?? []).filter((flag) => flag.startsWith("--memory-dir="));
      const memoryFlags = (root: string) =>
        memory === undefined ? [] : [memory.replace("$ROOT", root)];
      for (const flags of spawns ? [["-A"]] : [["-A", ...net], [...allowed, ...net]]) {
        await t.step(flags[0] === "-A" ? "-A" : "scoped", async () => {
          using own = fixtures(metadata);
          const text = JSON.stringify(input).replaceAll(directory.path, own.path);
          const scoped = flags.map((flag) => flag.replace(directory.path, own.path));
          const result = await call(name, JSON.parse(text), {
            flags: [...scoped, ...memoryFlags(own.path)],
            cwd: own.path,
          });
          const blocks = result.content.map((block) => block.text ?? JSON.stringify(block)).join(
            "\n",
          );
          expect(blocks).toContain(example.expect.replaceAll("$ROOT", own.path));
          expect(result.isError).toBe(example.isError ?? false);
          if (!result.isError) expectStructure(metadata.outputSchema, result.structuredContent);
        });
      }
      if (definition.permissions.kinds.length === 0) {
        await t.step("it is not refused without permissions", async () => {
          const result = await call(name, input, { cwd: directory.path });
          expect(result.exit).not.toBe(6);
          expect(result.text).not.toContain("--allow-");
        });
        return;
      }
      await t.step("it is refused without permissions, and the refusal names a flag", async () => {
        const result = await call(name, input, { cwd: directory.path });
        expect([5, 6, 8]).toContain(result.exit);
        if (result.exit === 6) expect(result.text).toContain("--allow-");
      });
    });
  }
}

Deno.test("tools > a call needs only permissions of the kinds that its tool declares", () => {
  using directory = fixtures();
  for (const { metadata: { name, permissionKinds, examples }, validate, definition } of tools) {
    for (const { input, isError } of examples) {
      if (isError) continue;
      const args = JSON.parse(
        JSON.stringify(input).replaceAll("$ROOT", directory.path)
          .replaceAll("$SERVER", "127.0.0.1:9"),
      );
      expect(validate(args)).toBe(true);
      const needs = definition.permissions.needs(args, directory.path, {});
      expect({ name, kinds: needs.every((need) => permissionKinds.includes(need.name)) })
        .toEqual({ name, kinds: true });
    }
  }
});

Deno.test("tools > a tool's declaration is complete and fit for a model", () => {
  for (const { metadata } of tools) {
    expect(metadata.name).toMatch(/^[A-Za-z][A-Za-z0-9_.]{0,63}$/);
    expect(metadata.description?.length ?? 100).toBeGreaterThan(20);
    expect(metadata.usageHint.length).toBeGreaterThan(10);
    // A simple tool has no schema and no examples.
    if (metadata.inputSchema["properties"] !== undefined) {
      expect(metadata.examples.length).toBeGreaterThanOrEqual(1);
      // The published schema of ExitPlanMode accepts any other key.
      expect(metadata.inputSchema["additionalProperties"]).toBe(metadata.name === "ExitPlanMode");
    }
    // Only MCP accepts a name with a period, so the tool has an alias that every API accepts.
    if (metadata.name.includes(".")) {
      expect(metadata.aliases).toContain(metadata.name.replaceAll(".", "_"));
    }
  }
});

Deno.test("tools > an import of a tool's module does nothing, and needs no permission", async () => {
  for (const { entry } of tools) {
    const worker = new Worker(
      `data:application/javascript,${
        encodeURIComponent(
          `await import(${JSON.stringify(moduleOf(entry.name))}); postMessage("imported")`,
        )
      }`,
      { type: "module", deno: { permissions: { read: true, import: true } } },
    );
    const answer = await new Promise((resolve) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = (event) => {
        event.preventDefault();
        resolve(event.message);
      };
    });
    worker.terminate();
    expect(`${entry.name}: ${answer}`).toBe(`${entry.name}: imported`);
  }
});

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

function moduleOf(name: string): string {
  const file = name.replaceAll(".", "_").replace(/([a-z])([A-Z])/g, "$1_$2").toLowerCase();
  return new URL(`../../../tools/${file}.ts`, import.meta.url).href;
}

Deno.test("tools > check reports the needed paths as real paths", async () => {
  using directory = fixtures();
  Deno.symlinkSync(`${directory.path}/hello.txt`, `${directory.path}/alias`);
  const run = await toolcall(["check", "fs.read", '{"path":"alias"}', "-R=."], {
    cwd: directory.path,
  });
  const { needs } = oneLine(run) as { needs: { path: string }[] };
  expect(needs[0]?.path).toBe(realPath(`${directory.path}/hello.txt`));
});
