import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "@std/expect";
import { repairOrReject } from "../../../../src/runner/call/validate.ts";
import type { RegisteredTool } from "../../../../src/runner/registry/registered_tool.ts";

/** The error message for arguments that do not fit the schemas of `properties`. */
async function messageFor(
  properties: Record<string, unknown>,
  args: Record<string, unknown>,
  required: string[] = [],
): Promise<string> {
  const inputSchema = {
    type: "object",
    properties,
    required,
    additionalProperties: false,
  };
  const fits = new Ajv2020({ strict: false, allErrors: true }).compile(inputSchema);
  const tool = {
    metadata: { name: "t", inputSchema },
    validate: fits,
  } as unknown as RegisteredTool;
  if (tool.validate(args)) return "";
  try {
    await repairOrReject(tool, args, { strict: true, repairs: [] });
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

Deno.test("validate > the error for an enum of 100,000 values names some dozens and the number of all", async () => {
  const values = Array.from({ length: 100_000 }, (_, place) => `v${place}`);
  const text = await messageFor({ a: { enum: values } }, { a: "x" });
  expect(text).toContain('must be one of "v0", "v1", ');
  expect(text).toContain('"v47" and 99952 more, 100000 in all, got "x"');
  expect(text.length).toBeLessThan(2_000);
  const all = await messageFor({ a: { enum: values.slice(0, 48) } }, { a: "x" });
  expect(all).toContain('"v47", got "x"');
});

Deno.test("validate > long values, names and descriptions are cut with a mark", async () => {
  const long = "x".repeat(100_000);
  const text = await messageFor(
    { a: { enum: [long] }, [long]: {}, c: { type: "string", description: long } },
    { a: 1, b: 1, c: 1 },
  );
  expect(text).toContain("x…");
  expect(text.length).toBeLessThan(3_000);
});

Deno.test("validate > the error for a tool with 10,000 arguments names some dozens", async () => {
  const names = Array.from({ length: 10_000 }, (_, place) => [`p${place}`, {}]);
  const text = await messageFor(Object.fromEntries(names), { x: 1 });
  expect(text).toContain('/x: unknown argument "x"; available: p0, p1, ');
  expect(text).toContain("p47 and 9952 more, 10000 in all");
  expect(text.length).toBeLessThan(2_000);
});

Deno.test("validate > the error for a schema without a type names no type", async () => {
  expect(await messageFor({ a: { minLength: 2 } }, { a: "x" }))
    .toContain('must have at least 2 characters, got "x"');
});

Deno.test("validate > the error for an unknown argument suggests a similar one that is not given", async () => {
  const properties = { file_path: {}, offset: {}, limit: {} };
  expect(await messageFor(properties, { filePath: "/a" }))
    .toContain('/filePath: unknown argument "filePath"; did you mean "file_path"?');
  expect(await messageFor(properties, { file_path: "/a", filePath: "/a" }))
    .toContain('/filePath: unknown argument "filePath"; available: ');
  const inner = { type: "object", properties: { activeForm: {} }, additionalProperties: false };
  expect(
    await messageFor({ todos: { type: "array", items: inner } }, { todos: [{ active_form: "a" }] }),
  )
    .toContain('/todos/0/active_form: unknown argument "active_form"; did you mean "activeForm"?');
});

Deno.test("validate > the error for a list item says which type it must have", async () => {
  const items = {
    type: "object",
    properties: { content: { type: "string" }, status: {} },
    required: ["content", "status"],
  };
  const text = await messageFor({ todos: { type: "array", items } }, { todos: ["do it"] });
  expect(text).toContain(
    '/todos/0: must be object, got "do it" (object with content, status)',
  );
  expect(
    await messageFor({ ids: { type: "array", items: { type: "integer", description: "An id" } } }, {
      ids: ["x"],
    }),
  ).toContain("(integer: An id)");
});

Deno.test("validate > a required argument under another name is reported as one problem", async () => {
  const properties = {
    path: { type: "string", description: "The path" },
    depth: { type: "integer" },
  };
  const lines = async (args: Record<string, unknown>, required: string[]) =>
    (await messageFor(properties, args, required)).split("\n").slice(1);
  expect(await lines({ pth: "a" }, ["path"])).toEqual([
    '- /pth: unknown argument "pth"; did you mean "path"? It is required (string: The path)',
  ]);
  // The names need not be similar, if only one is missing and the value fits.
  expect(await lines({ file: "a" }, ["path"])).toEqual([
    '- /file: unknown argument "file"; did you mean "path"? It is required (string: The path)',
  ]);
  expect(await lines({ file: 1 }, ["path"])).toEqual([
    "- /path: required (string: The path)",
    '- /file: unknown argument "file"; available: path, depth',
  ]);
  expect(await lines({ file: "a", other: "b" }, ["path"])).toHaveLength(3);
  expect(await lines({ file: "a" }, ["path", "depth"])).toHaveLength(3);
  // An optional argument that is more similar is meant.
  expect(await lines({ dept: "a" }, ["path"])).toEqual([
    "- /path: required (string: The path)",
    '- /dept: unknown argument "dept"; did you mean "depth"?',
  ]);
  expect(await lines({ pth: "a", paht: "b" }, ["path"])).toHaveLength(2);
});
