/** Tools of a group: when they are known and listed, and which tools can take their names. */
import { expect } from "@std/expect";
import type { ToolGroup } from "../../../../src/runner/registry/define.ts";
import type {
  RegisteredTool,
  RegistryEntry,
} from "../../../../src/runner/registry/registered_tool.ts";
import { Registry } from "../../../../src/runner/registry/registry.ts";
import {
  ToolExistsError,
  ToolNotFoundError,
} from "../../../../src/runner/registry/registry_errors.ts";
import { packedTools } from "../../../../src/runner/registry/tool_list.ts";

interface Given {
  offered?: ToolGroup;
  aliases?: string[];
  by?: string;
}

function entry(
  name: string,
  { offered, aliases = [], by = "built in" }: Given = {},
): RegistryEntry {
  const group = offered === undefined ? {} : { offered };
  const metadata = { name, aliases, description: by, ...group };
  const load = () => Promise.resolve({ metadata } as unknown as RegisteredTool);
  return { name, aliases, ...group, load };
}

const start = () =>
  new Registry([
    entry("Read"),
    entry("memory", { offered: "vendor" }),
    entry("editor", { offered: "vendor", aliases: ["old_editor"] }),
    entry("read_file", { offered: "compat", aliases: ["open_file"] }),
  ]);

const listed = async (registry: Registry) => (await registry.list()).map(({ name }) => name);

const source = async (registry: Registry, name: string) =>
  (await registry.get(name).load()).metadata.description;

Deno.test("ToolGroup > a vendor tool is found by its names, and listed when its group is offered", async () => {
  const registry = start();
  expect(registry.get("memory").name).toBe("memory");
  expect(registry.get("old_editor").name).toBe("editor");
  expect(await listed(registry)).toEqual(["Read"]);
  registry.offer("vendor");
  expect(await listed(registry)).toEqual(["Read", "editor", "memory"]);
});

Deno.test("ToolGroup > a compat tool is unknown until its group is offered", async () => {
  const registry = start();
  for (const name of ["read_file", "open_file"]) {
    expect(() => registry.get(name)).toThrow(ToolNotFoundError);
    expect(registry.has(name)).toBe(false);
  }
  expect(registry.names()).not.toContain("read_file");
  expect(registry.all().map(({ name }) => name)).not.toContain("read_file");
  expect(registry.declared().map(({ name }) => name)).toContain("read_file");
  registry.offer("compat");
  expect(registry.get("open_file").name).toBe("read_file");
  expect(await listed(registry)).toEqual(["Read", "read_file"]);
});

Deno.test("ToolGroup > a registered tool takes the name of a vendor tool, in any order of calls", async () => {
  const own = { by: "configured" };
  const changes: ((registry: Registry) => void)[] = [
    (registry) => registry.register(entry("memory", own)),
    (registry) => registry.registerLater(() => [entry("memory", own)]),
    (registry) => {
      registry.get("memory");
      registry.registerLater(() => [entry("memory", own)]);
    },
    (registry) => {
      registry.offer("vendor");
      registry.register(entry("memory", own));
    },
  ];
  for (const change of changes) {
    const registry = start();
    change(registry);
    expect(await source(registry, "memory")).toBe("configured");
    expect(await listed(registry)).toContain("memory");
    expect(registry.all().filter(({ name }) => name === "memory")).toHaveLength(1);
  }
});

Deno.test("ToolGroup > a tool that takes an alias does not change the other names", async () => {
  const registry = start();
  registry.register(entry("old_editor", { by: "configured" }));
  expect(await source(registry, "old_editor")).toBe("configured");
  expect(await source(registry, "editor")).toBe("built in");
  expect(registry.get("editor").aliases).toEqual([]);
});

Deno.test("ToolGroup > a configured tool keeps its name when compat is offered", async () => {
  const before = start();
  before.register(entry("read_file", { by: "configured" }));
  before.offer("compat");
  expect(await source(before, "read_file")).toBe("configured");
  const after = start();
  after.offer("compat");
  after.registerLater(() => [entry("read_file", { by: "configured" })]);
  expect(await source(after, "read_file")).toBe("configured");
});

Deno.test("ToolGroup > a registered tool cannot take the name of a tool without a group", () => {
  expect(() => start().register(entry("Read"))).toThrow(ToolExistsError);
});

Deno.test("ToolGroup > filters apply to tools that are offered later, and a copy offers the same groups", async () => {
  const registry = start();
  registry.addFilter(({ name }) => name === "read_file" ? "it is left out" : undefined);
  registry.offer("compat");
  expect(() => registry.get("read_file")).toThrow("it is left out");
  registry.offer("vendor");
  expect(await listed(registry.copy(({ name }) => name !== "memory"))).toEqual(["Read", "editor"]);
});

Deno.test("ToolGroup > the packed list of the executable contains the groups", async () => {
  const rows = [
    ["Read", [], "", "read_only", [], "./read.js"],
    ["memory", [], "vendor", "mutating", [], "./memory.js"],
    ["read_file", [], "compat", "read_only", [], "./read_file.js"],
  ];
  const pack = () =>
    new Registry(
      packedTools(JSON.stringify(rows), (path) =>
        path === "./all.js"
          ? Promise.resolve({ declarations: {} })
          : entry(path.slice(2, -3)).load(), "./all.js"),
    );
  expect(pack().get("memory").name).toBe("memory");
  expect(() => pack().get("read_file")).toThrow(ToolNotFoundError);
  const registry = pack();
  registry.registerLater(() => [entry("memory", { by: "configured" })]);
  expect(await source(registry, "memory")).toBe("configured");
});
