/** The rules for all tools, and the examples of every tool, run by the executable. */
import { cpSync } from "node:fs";
import { expect } from "@std/expect";
import { Ajv2020 } from "ajv/dist/2020.js";
import { realPath } from "../../../src/runner/sandbox/policy/paths.ts";
import { entries } from "../../../tools/_generated/index.ts";
import { fixtures, startSite } from "../../support/example_world.ts";
import { call, oneLine, temporaryDirectory, toolcall } from "../../support/executable.ts";
import { type Call, submitCalls, type Submitted } from "./submitted_calls.ts";

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

type Tool = (typeof tools)[number];
type Example = Tool["metadata"]["examples"][number];

/**
 * Whether calls of the tool can share a directory and a process with others: they change neither
 * the directory nor what is stored for it.
 */
function canShare({ metadata: { sideEffect, requires = [] }, definition }: Tool): boolean {
  return !["mutating", "spawns"].includes(sideEffect) && !requires.includes("state") &&
    definition.permissions.kinds.every((kind) => ["read", "net", "mcp"].includes(kind));
}

/** The directory and the server of the calls that change nothing. */
const shared = fixtures();
const site = startSite();
/** The directories of the other calls are copies of these two. No call runs in them. */
const unchanged = fixtures();
const repository = fixtures({ requires: ["git"] });
Deno.test.afterAll(async () => {
  for (const directory of [shared, unchanged, repository]) directory[Symbol.dispose]();
  await site[Symbol.asyncDispose]();
});

/** Makes the directory of one call. */
function ownDirectory({ metadata: { requires = [] } }: Tool) {
  const directory = temporaryDirectory();
  const from = requires.includes("git") ? repository : unchanged;
  cpSync(from.path, directory.path, { recursive: true });
  return directory;
}

/** The call of an example in a directory. */
function callOf({ metadata: { name } }: Tool, { input }: Example, directory: string): Call {
  const text = JSON.stringify(input).replaceAll("$ROOT", directory)
    .replaceAll("$SERVER", site.host);
  return { name, arguments: JSON.parse(text) };
}

/** The flags of each call of an example in a directory. */
function flagsOf({ definition }: Tool, example: Example, directory: string): string[][] {
  const { kinds } = definition.permissions;
  const net = kinds.includes("net") ? [`--allow-net=${site.host}`] : [];
  const memory = (example.flags ?? []).filter((flag) => flag.startsWith("--memory-dir="))
    .map((flag) => flag.replace("$ROOT", directory));
  const allowed = [`--allow-read=${directory}`, `--allow-write=${directory}`];
  if (kinds.includes("mcp")) allowed.push("--allow-mcp");
  const granted = kinds.includes("run") ? [["-A"]] : [["-A", ...net], [...allowed, ...net]];
  return granted.map((flags) => [...flags, ...memory.slice(0, 1)]);
}

/** The results of the calls in the shared directory, by flags and call. They are run when first read. */
const sharedResults = new Map<string, Promise<Map<string, Submitted>>>();

/** The result of a call in the shared directory, where all calls with these flags are one process. */
async function sharedResult(wanted: Call, flags: string[]): Promise<Submitted> {
  const key = JSON.stringify(flags);
  if (!sharedResults.has(key)) sharedResults.set(key, submitShared(flags));
  return (await sharedResults.get(key)!).get(JSON.stringify(wanted))!;
}

async function submitShared(flags: string[]): Promise<Map<string, Submitted>> {
  const calls = tools.flatMap((tool) =>
    tool.metadata.examples.filter((example) =>
      flags.length === 0
        ? canShare(tool) || tool.definition.permissions.kinds.length > 0
        : canShare(tool) && flagsOf(tool, example, shared.path).some((each) =>
          JSON.stringify(each) === JSON.stringify(flags)
        )
    ).map((example) => callOf(tool, example, shared.path))
  );
  const results = await submitCalls(calls, { flags, cwd: shared.path });
  return new Map(calls.map((call, at) => [JSON.stringify(call), results[at]!]));
}

/** Runs an example with the flags at that place of {@link flagsOf}. */
async function resultIn(tool: Tool, example: Example, at: number, directory: string) {
  const wanted = callOf(tool, example, directory);
  const flags = flagsOf(tool, example, directory)[at]!;
  if (directory === shared.path) return await sharedResult(wanted, flags);
  return await call(wanted.name, wanted.arguments, { flags, cwd: directory });
}

for (const tool of tools) {
  const { metadata, definition } = tool;
  const { name, examples } = metadata;
  for (const example of examples) {
    Deno.test(`${name} > example: ${example.description}`, async (t) => {
      for (const [at, [first]] of flagsOf(tool, example, shared.path).entries()) {
        await t.step(first === "-A" ? "-A" : "scoped", async () => {
          using own = canShare(tool) ? undefined : ownDirectory(tool);
          const { path } = own ?? shared;
          const result = await resultIn(tool, example, at, path);
          const blocks = result.content.map((block) => block.text ?? JSON.stringify(block)).join(
            "\n",
          );
          expect(blocks).toContain(example.expect.replaceAll("$ROOT", path));
          expect(result.isError).toBe(example.isError ?? false);
          if (!result.isError) expectStructure(metadata.outputSchema, result.structuredContent);
        });
      }
      if (definition.permissions.kinds.length === 0) {
        await t.step("it is not refused without permissions", async () => {
          using own = canShare(tool) ? undefined : ownDirectory(tool);
          const wanted = callOf(tool, example, (own ?? shared).path);
          const result = own === undefined
            ? await sharedResult(wanted, [])
            : await call(name, wanted.arguments, { cwd: own.path });
          expect(result.exit).not.toBe(6);
          expect(result.text).not.toContain("--allow-");
        });
        return;
      }
      await t.step("it is refused without permissions, and the refusal names a flag", async () => {
        const result = await sharedResult(callOf(tool, example, shared.path), []);
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
