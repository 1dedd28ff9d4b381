import { expect } from "@std/expect";
import type {
  RegisteredTool,
  RegistryEntry,
} from "../../../../src/runner/registry/registered_tool.ts";
import { Registry } from "../../../../src/runner/registry/registry.ts";
import {
  EmptyNameError,
  ToolExistsError,
  ToolNotFoundError,
} from "../../../../src/runner/registry/registry_errors.ts";
import { nearest } from "../../../../src/base/text/nearest.ts";
import { annotationsOf, type Hints } from "../../../../src/runner/schema/definitions/mcp.ts";

function entry(
  name: string,
  aliases: string[] = [],
  more: Record<string, unknown> = {},
): RegistryEntry {
  const metadata = { name, aliases, description: `The tool ${name}`, ...more };
  return { name, aliases, load: () => Promise.resolve({ metadata } as unknown as RegisteredTool) };
}

Deno.test("Registry > a tool is found by its name and its aliases", () => {
  const registry = new Registry([entry("Read", ["FileRead"])]);
  expect(registry.get("FileRead")).toBe(registry.get("Read"));
  expect(registry.names()).toEqual(["Read", "FileRead"]);
});

Deno.test("Registry > the initial tools are found by every name, and no other tool can take a name", () => {
  const names = Array.from({ length: 1_000 }, (_, at) => `Tool${at}`);
  const start = () =>
    new Registry(names.map((name) => entry(name, [`${name}Too`, `${name}.three`])));
  expect(start().get("Tool999").name).toBe("Tool999");
  expect(start().get("Tool7Too").name).toBe("Tool7");
  expect(start().has("Tool0")).toBe(true);
  expect(start().names()).toHaveLength(3_000);
  expect(() => start().get("Tool1000")).toThrow(ToolNotFoundError);
  const registry = start();
  expect(registry.get("Tool5").name).toBe("Tool5");
  for (const taken of ["Tool5", "Tool6Too", "Tool7.three"]) {
    expect(() => registry.register(entry(taken))).toThrow(ToolExistsError);
  }
  registry.unregister("Tool5");
  expect(() => registry.get("Tool5")).toThrow(ToolNotFoundError);
  registry.register(entry("Tool5Too"));
  expect(registry.get("Tool5Too").name).toBe("Tool5Too");
});

Deno.test("Registry > a name is found by its own key only", () => {
  const registry = new Registry([entry("Read")]);
  for (
    const name of ["constructor", "toString", "__proto__", "hasOwnProperty", "", "read", "Rea"]
  ) {
    expect(() => registry.get(name)).toThrow(ToolNotFoundError);
  }
});

Deno.test("Registry > a name that is taken or empty is refused, and nothing is added", () => {
  const registry = new Registry([entry("Read", ["FileRead"])]);
  for (const taken of [entry("Read"), entry("FileRead"), entry("New", ["Read"])]) {
    expect(() => registry.register(taken)).toThrow(ToolExistsError);
  }
  for (const empty of [entry(""), entry(" "), entry("New", [""])]) {
    expect(() => registry.register(empty)).toThrow(EmptyNameError);
  }
  expect(() => registry.get("New")).toThrow(ToolNotFoundError);
});

Deno.test("Registry > unregister removes the aliases too, and frees the names", () => {
  const registry = new Registry([entry("Read", ["FileRead"])]);
  registry.unregister("Read");
  expect(registry.names()).toEqual([]);
  expect(() => registry.unregister("Read")).toThrow(ToolNotFoundError);
  registry.register(entry("FileRead"));
  expect(registry.get("FileRead").name).toBe("FileRead");
});

Deno.test("Registry > lists are sorted, filter by category or optionality, and omit hidden tools", async () => {
  const registry = new Registry([
    entry("b", [], { category: "code", optionality: "required" }),
    entry("a", [], { category: "vcs", optionality: "optional" }),
    entry("hidden", [], { category: "code", optionality: "required", description: undefined }),
  ]);
  const names = async (tools: Promise<{ name: string }[]>) => (await tools).map(({ name }) => name);
  expect(await names(registry.list())).toEqual(["a", "b"]);
  expect(await names(registry.listByCategory("code"))).toEqual(["b"]);
  expect(await names(registry.listByOptionality("optional"))).toEqual(["a"]);
});

Deno.test("Registry > subscribers get every change until they unsubscribe", () => {
  const registry = new Registry();
  const events: unknown[] = [];
  const leave = registry.subscribe((event) => events.push(event));
  registry.register(entry("a"));
  registry.unregister("a");
  leave();
  registry.register(entry("b"));
  expect(events).toEqual([{ type: "registered", name: "a" }, { type: "unregistered", name: "a" }]);
});

Deno.test("nearest() > returns a name within a distance of max(2, 0.3 × length), and no other", () => {
  const names = ["Read", "Grep", "Glob", "WebSearch", "fs.read"];
  const rows: [name: string, near: string | undefined][] = [
    ["Raed", "Read"],
    ["read", "Read"],
    ["grep", "Grep"],
    ["WebSaerch", "WebSearch"],
    ["fs_read", "fs.read"],
    ["ab", undefined],
    ["", undefined],
    ["Completely", undefined],
    ["x".repeat(10_000), undefined],
  ];
  for (const [name, near] of rows) expect([name, nearest(name, names)]).toEqual([name, near]);
});

Deno.test("annotationsOf() > returns each hint whose default would be wrong for the tool", () => {
  const rows: [tool: Parameters<typeof annotationsOf>[0], hints: Hints][] = [
    [{ sideEffect: "none" }, { readOnlyHint: true, openWorldHint: false }],
    [
      { sideEffect: "read_only", idempotent: true },
      { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    ],
    [{ sideEffect: "blocking" }, { readOnlyHint: true, openWorldHint: false }],
    [{ sideEffect: "network" }, { readOnlyHint: true, openWorldHint: true }],
    [
      { sideEffect: "mutating", permissionKinds: ["read", "write"] },
      { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
    ],
    [
      { sideEffect: "mutating", destructive: false, permissionKinds: ["net"] },
      { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
    ],
    [
      { sideEffect: "spawns" },
      { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
    ],
    [
      { sideEffect: "none", destructive: false, idempotent: true },
      {
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
    ],
    [
      { sideEffect: "read_only", openWorld: true },
      { readOnlyHint: true, openWorldHint: true },
    ],
  ];
  for (const [tool, hints] of rows) expect(annotationsOf(tool)).toEqual(hints);
});
