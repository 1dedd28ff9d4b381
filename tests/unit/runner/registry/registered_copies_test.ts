/** The registry takes in and gives out copies, and refuses what is incomplete (findings A4, A8). */
import { expect } from "@std/expect";
import {
  createRunner,
  defineTool,
  EmptyNameError,
  entryOf,
  importTool,
  InvalidToolError,
  Registry,
  type RegistryEntry,
  simpleTool,
  type ToolDefinition,
} from "../../../../src/api.ts";

/** A definition that differs from any other one, with other values of some fields. */
function add(more: Record<string, unknown> = {}): ToolDefinition<never> {
  return Object.assign(
    defineTool({
      name: "add",
      title: "Add",
      description: "Adds 1.",
      category: "utility",
      sideEffect: "none",
      optionality: "optional",
      usageHint: "x",
      inputSchema: {
        type: "object",
        properties: { a: { type: "number" } },
        required: ["a"],
        additionalProperties: false,
      },
      examples: [],
      permissions: { kinds: [], needs: () => [] },
      run: ({ a }) => String(a + 1),
    }),
    more,
  );
}

/** Lets any arguments pass, wherever it can be changed. */
function open(schema: unknown): void {
  Object.assign(schema as object, { additionalProperties: true, required: [] });
}

const edits: readonly (readonly [what: string, edit: (tool: Edited) => unknown])[] = [
  ["a definition", ({ definition }) => open(definition.inputSchema)],
  ["the code of a definition", ({ definition }) => definition.run = () => "changed"],
  ["a list of a definition", ({ definition }) => definition.permissions.kinds = ["run"]],
  ["an entry", ({ entry }) => entry.load = () => Promise.reject(new Error("changed"))],
  ["the names of an entry", ({ entry }) => Object.assign(entry, { name: "other", aliases: ["b"] })],
  ["a listed schema", async ({ registry }) => open((await registry.list())[0]!.inputSchema)],
  ["an entry that the registry returns", ({ registry }) => registry.get("add").name = "other"],
  ["a loaded schema", async ({ registry }) => {
    open((await registry.get("add").load()).metadata.inputSchema);
  }],
  ["a loaded validator", async ({ registry }) => {
    (await registry.get("add").load()).validate = () => true;
  }],
  ["loaded code", async ({ registry }) => {
    (await (await registry.get("add").load()).load()).run = () => "changed";
  }],
];

interface Edited {
  definition: ToolDefinition<never>;
  entry: RegistryEntry;
  registry: Registry;
}

for (const [what, edit] of edits) {
  Deno.test(`Registry > an edit of ${what} changes nothing`, async () => {
    const definition = add();
    const entry = entryOf(definition);
    const registry = new Registry();
    registry.register(entry);
    // Frozen objects throw.
    await Promise.resolve().then(() => edit({ definition, entry, registry })).catch(() => {});
    expect(registry.names()).toEqual(["add"]);
    expect((await registry.list())[0]).toMatchObject({
      permissionKinds: [],
      inputSchema: { required: ["a"], additionalProperties: false },
    });
    const runner = createRunner({ tools: registry });
    const call = async (args: Record<string, unknown>) => {
      const { content: [block], _meta } = await runner.call({ name: "add", arguments: args });
      return _meta?.["toolcall/error"]?.code ?? (block?.type === "text" && block.text);
    };
    expect([await call({ a: 1 }), await call({ b: 1 })]).toEqual(["2", "invalid_arguments"]);
  });
}

Deno.test("entryOf() > an instance of a class is a definition, also with private fields", async () => {
  class Counter {
    #count = 0;
    name = "count";
    title = "Count";
    category = "utility";
    sideEffect = "none";
    optionality = "optional";
    usageHint = "x";
    inputSchema = { type: "object" };
    examples = [];
    permissions = { kinds: [], needs: () => [] };
    run() {
      return String(++this.#count);
    }
  }
  const definition = new Counter() as unknown as ToolDefinition<never>;
  const { content } = await createRunner({ tools: [definition] }).call({ name: "count" });
  expect(content).toEqual([{ type: "text", text: "1" }]);
});

const without = (field: string) => {
  const { [field]: _, ...rest } = { ...add() } as Record<string, unknown>;
  return rest;
};

Deno.test("register() > an error names every problem of an incomplete tool", () => {
  const rows: readonly (readonly [tool: unknown, problems: readonly string[]])[] = [
    ...["name", "title", "category", "inputSchema", "examples", "permissions", "run"].map((field) =>
      [without(field), [`the field "${field}" is missing`]] as const
    ),
    [{ name: "x" }, ['"title" is missing', '"inputSchema" is missing', '"run" is missing']],
    [add({ inputSchema: { type: "string" }, run: 1 }), [
      'JSON Schema with "type": "object"',
      '"run"',
    ]],
    [add({ permissions: { kinds: ["fly"] } }), ['not "fly"', '"permissions.needs"']],
    [add({ timeoutMS: 1 }), ['unknown field "timeoutMS"; did you mean "timeoutMs"?']],
    [add({ name: 1, aliases: "b" }), ['"name" must be', '"aliases" must be']],
    [{ load: 1 }, ['"name" must be', '"aliases" must be', '"load" must be']],
    [null, ["must be a definition"]],
    ["add", ["must be a definition"]],
  ];
  for (const [tool, problems] of rows) {
    const create = () => createRunner({ tools: [tool as ToolDefinition<never>] });
    expect(create).toThrow(InvalidToolError);
    for (const problem of problems) expect(create).toThrow(problem);
  }
  const registry = new Registry();
  expect(() => registry.register(add() as unknown as RegistryEntry)).toThrow("entryOf(definition)");
  expect(() => registry.register({ ...entryOf(add()), name: " " })).toThrow(EmptyNameError);
  expect(() => new Registry([{ name: "x" } as RegistryEntry])).toThrow(InvalidToolError);
  expect(registry.names()).toEqual([]);
});

Deno.test("importTool() > an error names every problem of the definition in a module", async () => {
  const url = `data:text/javascript,${
    encodeURIComponent('export default { name: "x", run() {} }')
  }`;
  await expect(importTool(url)).rejects.toThrow(
    /"x".*"title" is missing.*"permissions" is missing/,
  );
});

Deno.test("list() > a tool that cannot be loaded is omitted, and onFault gets the reason", async () => {
  const bad = (name: string, load: () => unknown) => ({ name, aliases: [], load }) as RegistryEntry;
  const faults: string[] = [];
  const registry = new Registry([
    bad("rejects", () => Promise.reject(new Error("no such file"))),
    bad("throws", () => {
      throw new Error("no code");
    }),
    bad("empty", () => Promise.resolve({})),
    entryOf(add()),
  ], { onFault: (fault) => faults.push(fault) });
  expect((await registry.list()).map(({ name }) => name)).toEqual(["add"]);
  expect(faults.sort()).toEqual([
    'The tool "empty" is not listed: its function load() returns no declaration',
    'The tool "rejects" is not listed: no such file',
    'The tool "throws" is not listed: no code',
  ]);
});

Deno.test("subscribe() > a listener that throws or rejects stops neither the change nor other listeners", async () => {
  const faults: string[] = [];
  const registry = new Registry([], { onFault: (fault) => faults.push(fault) });
  const events: string[] = [];
  registry.subscribe(() => {
    throw new Error("thrown");
  });
  registry.subscribe(() => Promise.reject(new Error("rejected")));
  registry.subscribe(({ type, name }) => events.push(`${type} ${name}`));
  registry.register(entryOf(add()));
  registry.disable("add", "x");
  registry.unregister("add");
  await Promise.resolve();
  expect(events).toEqual(["registered add", "disabled add", "unregistered add"]);
  const fault = (why: string) => `A listener of the registry failed: ${why}`;
  expect(faults.sort()).toEqual(
    [...Array(3).fill(fault("rejected")), ...Array(3).fill(fault("thrown"))],
  );
});

Deno.test("createRunner > a cancelled call says that the caller aborted it, and the reason", async () => {
  const waiting = simpleTool(
    "wait",
    "Waits.",
    (_, { signal }) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  );
  const rows: readonly (readonly [reason: unknown, expected: string])[] = [
    [undefined, "the caller aborted it"],
    [new DOMException("late", "TimeoutError"), "the caller aborted it"],
    [new Error("the user left"), "the caller aborted it (the user left)"],
    ["a\nb", "the caller aborted it (a b)"],
  ];
  for (const [reason, expected] of rows) {
    const signal = AbortSignal.abort(reason);
    const { content, _meta } = await createRunner({ tools: [waiting] })
      .call({ name: "wait" }, { signal });
    expect(content).toEqual([{ type: "text", text: `Cancelled "wait": ${expected}` }]);
    expect(_meta?.["toolcall/error"]).toEqual({
      code: "cancelled",
      tool: "wait",
      reason: expected,
    });
  }
});
