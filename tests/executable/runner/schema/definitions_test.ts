/** The definitions of tools for each API are valid and bounded. They are complete, or name the loss. */
import type { Tool } from "@anthropic-ai/sdk/resources/messages";
import { expect } from "@std/expect";
import { unitsOf } from "../../../support/measure.ts";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { ChatCompletionTool } from "openai/resources/chat/completions";
import type { FunctionTool } from "openai/resources/responses/responses";
import { definitionsFor } from "../../../../src/runner/schema/definitions/apis.ts";
import { type Api, apis } from "../../../../src/runner/schema/definitions/formats.ts";
import { lint } from "../../../../src/runner/schema/definitions/lint.ts";
import type { ToolMetadata } from "../../../../src/runner/registry/registered_tool.ts";
import { entries } from "../../../../tools/_generated/index.ts";
import { oneLine, toolcall } from "../../../support/executable.ts";

const description =
  "Returns a text file (up to 256 KiB) by its path relative to the root. If it is longer, a second " +
  "block tells how to continue with Read. Rejects binary files, directories, pipes and devices. " +
  "A missing file's error suggests similar names. " +
  "When to use: To get a whole text file by its path in the repository, without line numbers.";

const path = {
  type: "string",
  pattern: "^[^/]",
  description: "Path relative to the root; must stay inside it.",
};

const parameters: Tool.InputSchema = {
  type: "object",
  properties: { path },
  required: ["path"],
  additionalProperties: false,
};

const openai: ChatCompletionTool = {
  type: "function",
  function: { name: "fs_read", description, parameters },
};
const responses: FunctionTool = {
  type: "function",
  name: "fs_read",
  description,
  parameters,
  strict: false,
};
const anthropic: Tool = {
  ...{ name: "fs_read", description, input_schema: parameters },
  input_examples: [{ path: "hello.txt" }],
};
const gemini = {
  name: "fs_read",
  description,
  parameters: {
    type: "OBJECT",
    properties: { path: { ...path, type: "STRING" } },
    required: ["path"],
  },
};

const expected: [api: string, one: unknown, list: unknown][] = [
  ["openai", openai, [openai]],
  ["responses", responses, [responses]],
  ["anthropic", anthropic, [anthropic]],
  ["gemini", gemini, [{ functionDeclarations: [gemini] }]],
];

for (const [api, one, list] of expected) {
  Deno.test(`list and describe --format=${api} > the definitions have the form that the API takes`, async () => {
    const format = `--format=${api}`;
    expect(oneLine(await toolcall(["list", "fs.read", format]))).toEqual(list);
    expect(oneLine(await toolcall(["list", "fs_read", "fs.read", format]))).toEqual(list);
    expect(oneLine(await toolcall(["describe", "fs.read", format]))).toEqual(one);
  });
}

Deno.test("list > --category and names select tools in every format", async () => {
  const names = async (...args: string[]) =>
    (oneLine(await toolcall(["list", "--format=anthropic", ...args])) as Tool[])
      .map(({ name }) => name);
  const tools = oneLine(await toolcall(["list", "--format=json"])) as ToolMetadata[];
  const research = tools.filter(({ category }) => category === "research").map(({ name }) => name);
  expect(research).toContain("WebFetch");
  expect(await names("--category=research")).toEqual(research);
  expect(await names("Write", "Read")).toEqual(["Write", "Read"]);
  expect((await toolcall(["list", "Read", "--format=text"])).stdout.split("\n")).toHaveLength(3);
  expect((await toolcall(["list", "Raed"])).stderr).toContain('did you mean "Read"?');
});

Deno.test("list --lint > every API accepts the built-in tools without a loss", async () => {
  // A tool without a schema takes any arguments, which Gemini cannot express.
  const tools = await Promise.all(entries.map(async ({ load }) => (await load()).metadata));
  const names = tools.filter(({ description, inputSchema }) =>
    description !== undefined && inputSchema["properties"] !== undefined
  )
    .map(({ name }) => name);
  expect(await toolcall(["list", "--lint", ...names])).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(oneLine(await toolcall(["list", "--lint", "--format=json", ...names]))).toEqual([]);
});

/** A tool with this schema. */
function tool(inputSchema: unknown, more: Partial<ToolMetadata> = {}): ToolMetadata {
  return {
    name: "t",
    aliases: [],
    title: "T",
    description: "Does",
    category: "mcp",
    sideEffect: "read_only",
    optionality: "optional",
    usageHint: "",
    requires: [],
    examples: [],
    permissionKinds: [],
    inputSchema: inputSchema as Record<string, unknown>,
    ...more,
  };
}

const own = new Map<string, string>();

/** The schema of a definition's arguments, and its description. */
function defined(api: Api, inputSchema: unknown) {
  const [definition] = definitionsFor(api, [tool(inputSchema)], own);
  const value = (definition!.value["function"] ?? definition!.value) as Record<string, unknown>;
  return {
    schema: (value["parameters"] ?? value["input_schema"]) as Record<string, unknown> | undefined,
    description: value["description"],
    losses: definition!.losses,
  };
}

Deno.test("definitions > the usage hint follows the description and precedes the notes, if it fits", () => {
  const schema = { type: "object", properties: {}, not: { required: ["a"] } };
  const given = (api: Api, more: Partial<ToolMetadata>) =>
    JSON.stringify(definitionsFor(api, [tool(schema, { usageHint: "To try", ...more })], own));
  const long = "x".repeat(1000);
  for (const api of apis) {
    expect(given(api, {})).toContain("Does. When to use: To try.");
    expect(given(api, { description: "Does.", usageHint: "Now." })).toContain(
      "Does. When to use: Now.",
    );
    expect(given(api, { usageHint: " " })).not.toContain("When to use");
    // OpenAI takes 1,024 characters. The notes are more important than the hint.
    const isOpenAi = api === "openai" || api === "responses";
    expect(given(api, { description: long }).includes("When to use")).toBe(!isOpenAi);
    if (api !== "mcp") {
      expect(given(api, {})).toMatch(/To try\. \[[^\]]*required/);
      expect(given(api, { description: long })).toMatch(/x[^\]]* \[[^\]]*required/);
    }
  }
});

Deno.test("anthropic > samples are arguments of examples that succeed, and match the schema of the definition", async () => {
  const definitions = oneLine(await toolcall(["list", "--format=anthropic"])) as Tool[];
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  for (const { name, input_schema, input_examples = [] } of definitions) {
    const validate = ajv.compile(input_schema);
    for (const input of input_examples) expect([name, input, validate(input)]).toContain(true);
    expect(input_examples.length).toBeLessThanOrEqual(2);
    expect(JSON.stringify(input_examples)).not.toMatch(/\$ROOT|\$SERVER/);
  }
  const samples = Object.fromEntries(
    definitions.map(({ name, input_examples }) => [name, input_examples]),
  );
  expect(samples["search"]).toEqual([
    { query: "add(a" },
    { ...{ query: "todo: \\w+", path: "src", regex: true, ignore_case: true }, context: 1 },
  ]);
  // Its only example fails.
  expect(samples["TaskGet"]).toBeUndefined();
  const inputs = new Map([["t", [{ "filter[id]": "x" }, { a: "x" }]]]);
  const schema = { properties: { "filter[id]": { type: "string" }, a: { type: "string" } } };
  const [definition] = definitionsFor("anthropic", [tool(schema)], own, inputs);
  expect(definition!.value["input_examples"]).toEqual([{ a: "x" }]);
});

const property = (schema: unknown) =>
  (defined("gemini", { type: "object", properties: { p: schema } }).schema!["properties"] as {
    p: unknown;
  }).p;

const converted: [schema: unknown, expected: unknown][] = [
  [{ type: "integer", minimum: 1, default: 5, description: "How many" }, {
    type: "INTEGER",
    minimum: 1,
    description: "How many [default 5]",
  }],
  [{ type: "string", format: "uri" }, { type: "STRING", description: '[format "uri"]' }],
  [{ type: "string", format: "date-time" }, { type: "STRING", format: "date-time" }],
  [{ type: ["string", "null"] }, { type: "STRING", nullable: true }],
  [{ anyOf: [{ type: "string" }, { type: "null" }] }, { type: "STRING", nullable: true }],
  [{ const: "a" }, { type: "STRING", enum: ["a"] }],
  [{ enum: [1, 2] }, { type: "NUMBER", description: "[one of [1,2]]" }],
  [{ type: "string", enum: ["", "a"] }, { type: "STRING", description: '[one of ["","a"]]' }],
  [{ type: "integer", exclusiveMinimum: 0, exclusiveMaximum: 9 }, {
    type: "INTEGER",
    minimum: 1,
    maximum: 8,
  }],
  [{ type: "number", exclusiveMinimum: 0 }, {
    type: "NUMBER",
    description: "[exclusiveMinimum 0]",
  }],
  [{ type: "number", minimum: 0, exclusiveMinimum: true }, {
    type: "NUMBER",
    description: "[exclusiveMinimum 0]",
  }],
  [{ oneOf: [{ type: "string" }, { type: "integer" }], description: "Which" }, {
    anyOf: [
      { type: "STRING", description: "Which [exactly one of these forms]" },
      { type: "INTEGER", description: "Which [exactly one of these forms]" },
    ],
  }],
  [{ type: ["string", "integer"], description: "Which" }, {
    anyOf: [{ type: "STRING", description: "Which" }, { type: "INTEGER", description: "Which" }],
  }],
  [{ allOf: [{ properties: { a: { type: "string" } } }, { required: ["a"] }] }, {
    type: "OBJECT",
    properties: { a: { type: "STRING" } },
    required: ["a"],
  }],
  [{ type: "object", additionalProperties: { type: "string" } }, {
    type: "STRING",
    description: '[a JSON object, as JSON text; additionalProperties {"type":"string"}]',
  }],
  [{ type: "object", properties: { a: { type: "boolean" } }, required: ["a", "b"] }, {
    type: "OBJECT",
    properties: { a: { type: "BOOLEAN" } },
    required: ["a"],
  }],
  [{ type: "array", items: [{ type: "number" }, { type: "string" }] }, {
    type: "ARRAY",
    items: { anyOf: [{ type: "NUMBER" }, { type: "STRING" }] },
    description: '[prefixItems [{"type":"number"},{"type":"string"}]]',
  }],
  [{ type: "array", items: { type: "string" }, uniqueItems: true, maxItems: 3 }, {
    type: "ARRAY",
    maxItems: 3,
    items: { type: "STRING" },
    description: "[uniqueItems true]",
  }],
  [true, {
    anyOf: ["STRING", "NUMBER", "BOOLEAN"].map((type) => ({
      type,
      description: "[any JSON value]",
    })),
  }],
];

Deno.test("gemini > every keyword is kept, translated or described in words", async (t) => {
  for (const [schema, expected] of converted) {
    await t.step(JSON.stringify(schema), () => expect(property(schema)).toEqual(expected));
  }
});

Deno.test("gemini > a tool without arguments has no parameters", () => {
  expect(defined("gemini", { type: "object", properties: {} }).schema).toBeUndefined();
});

Deno.test("gemini > a call may give an object as JSON text, as the definition asks for it", async () => {
  const question = {
    question: "Which?",
    header: "Which",
    options: ["a", "b"].map((label) => ({ label, description: label })),
  };
  const args = { questions: [question], answers: JSON.stringify({ "Which?": "a" }) };
  const run = await toolcall(["AskUserQuestion", JSON.stringify(args)]);
  expect(oneLine(run)).toMatchObject({
    isError: false,
    _meta: { "toolcall/repaired": [{ path: "/answers", rule: "json_text" }] },
  });
});

Deno.test("openai, responses, anthropic > a choice at the top level of a schema is described in words", () => {
  const schema = {
    type: "object",
    properties: { a: { type: "string" } },
    oneOf: [{ required: ["a"] }, { required: ["b"], properties: { b: { type: "integer" } } }],
  };
  const words = 'Does [exactly one of these must match: [{"required":["a"]},{"required":["b"],' +
    '"properties":{"b":{"type":"integer"}}}]]';
  for (const api of ["openai", "responses", "anthropic"] as const) {
    expect(defined(api, schema)).toMatchObject({
      schema: {
        type: "object",
        properties: { a: { type: "string" }, b: { type: "integer" } },
      },
      description: words,
    });
    expect(Object.keys(defined(api, schema).schema!)).toEqual(["type", "properties"]);
  }
});

Deno.test("anthropic > an argument with a refused name is omitted, and the description says so", () => {
  const schema = {
    type: "object",
    properties: { "filter[id]": { type: "string" }, a: { type: "string" } },
    required: ["filter[id]", "a"],
  };
  expect(defined("anthropic", schema)).toEqual({
    schema: { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
    description: 'Does [the argument "filter[id]" cannot be given here]',
    losses: ['/properties: the argument "filter[id]" cannot be given here'],
  });
});

/** Schemas of other sources: old drafts, and wrong, recursive and large ones. */
const foreign: [name: string, schema: unknown][] = [
  ["true", true],
  ["false", false],
  ["null", null],
  ["a string", "object"],
  ["an empty schema", {}],
  ["the schema of a string", { type: "string" }],
  ["an unknown type", { type: "object", properties: { a: { type: "any" } } }],
  ["draft 3", { properties: { a: { type: "string", required: true } } }],
  ["draft 4", { id: "x", properties: { a: { minimum: 1, exclusiveMinimum: true } } }],
  ["draft 7 tuples", { properties: { a: { type: "array", items: [{}], additionalItems: false } } }],
  ["an array of anything", { properties: { a: { type: "array" } } }],
  ["wrong keywords", {
    type: "object",
    properties: { a: { items: 1, anyOf: [], required: "a", pattern: "(", enum: {}, minimum: "1" } },
  }],
  ["a property called properties", { properties: { properties: { type: "string" }, id: {} } }],
  ["a reference to itself", { type: "object", properties: { a: { $ref: "#" } } }],
  ["definitions", {
    $ref: "#/$defs/a",
    $defs: { a: { properties: { b: { $ref: "#/$defs/a" } } } },
  }],
  ["a circle", { properties: { a: { $ref: "#/properties/b" }, b: { $ref: "#/properties/a" } } }],
  ["a circle of choices", {
    properties: { a: { anyOf: [{ $ref: "#/properties/a" }, { type: "null" }] } },
  }],
  ["a remote reference", { properties: { a: { $ref: "https://example.com/schema.json" } } }],
  ["a reference to nothing", { properties: { a: { $ref: "#/$defs/none" } } }],
  ["a choice at the top level", { oneOf: [{ type: "string" }, { properties: { a: {} } }] }],
  ["invalid counts", {
    properties: {
      a: { type: "string", minLength: 1.5, maxLength: -1 },
      b: { type: "array", minContains: "1", uniqueItems: "yes" },
      c: { type: "number", multipleOf: 0, maximum: 1 / 0 },
    },
  }],
  ["annotations of wrong types", {
    properties: {
      a: { $comment: 1, $anchor: "a b", $dynamicRef: 1, $vocabulary: 1, examples: 1 },
      b: { readOnly: 1, deprecated: 1, contentMediaType: 1, contentSchema: 1 },
      c: { patternProperties: { "(": {} }, dependentRequired: { a: "b" } },
    },
  }],
  ["many parts", { allOf: [{ properties: { a: { type: "string" } } }, { not: {} }], enum: [{}] }],
  ["deep nesting", nested(5_000)],
  ["exponential breadth", { $ref: "#/$defs/0", $defs: doubling(30) }],
  ["ten megabytes", {
    type: "object",
    properties: Object.fromEntries(
      Array.from(
        { length: 40_000 },
        (_, at) => [`p${at}`, { type: "string", description: "x".repeat(200) }],
      ),
    ),
  }],
];

function nested(depth: number): unknown {
  let schema: unknown = { type: "string" };
  for (let at = 0; at < depth; at++) schema = { type: "object", properties: { a: schema } };
  return schema;
}

/** Each has two properties that refer to the next. */
function doubling(count: number): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => {
    const next = { $ref: `#/$defs/${at + 1}` };
    return [String(at), { type: "object", properties: { a: next, b: next } }];
  }));
}

Deno.test("definitions > any schema becomes a valid schema in bounded time and size", async (t) => {
  for (const [name, schema] of foreign) {
    await t.step(name, async () => {
      const units = await unitsOf(() => expectSound(schema));
      expect(units).toBeLessThan(400);
    });
  }
});

function expectSound(schema: unknown): void {
  // A loss that is described in words is reported too, although no API would refuse it.
  const inWords = new Map(apis.map((api) => [api, new Set(defined(api, schema).losses)]));
  const wrong = lint([tool(schema)], own).filter(({ api, problem }) =>
    api !== "mcp" && !inWords.get(api)!.has(problem)
  );
  expect(wrong).toEqual([]);
  for (const api of ["openai", "responses", "anthropic"] as const) {
    const { schema: sound } = defined(api, schema);
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    expect({ api, valid: ajv.validateSchema(sound!), errors: ajv.errors }).toMatchObject({
      api,
      valid: true,
    });
  }
  const text = JSON.stringify(definitionsFor("gemini", [tool(schema)], own));
  expect(text.length).toBeLessThan(2_000_000);
  expect(geminiFaults(defined("gemini", schema).schema)).toEqual([]);
}

const deadEnds: [schema: unknown, reference: string][] = [
  [{ properties: { a: { $ref: "#/$defs/x" } } }, "#/$defs/x"],
  [{ properties: { a: { $ref: "https://example.com/schema" } } }, "https://example.com/schema"],
  [{ properties: { a: { $ref: "#/$defs/x" } }, $defs: { x: { $ref: "#/$defs/x" } } }, "#/$defs/x"],
  [{ properties: { a: { $ref: "#/allOf/0" } }, allOf: [{ type: "object" }] }, "#/allOf/0"],
];

for (const [schema, reference] of deadEnds) {
  Deno.test(`definitions > a reference without a target is reported: ${JSON.stringify(schema)}`, () => {
    for (const api of ["openai", "responses", "anthropic", "gemini"] as const) {
      const { schema: given, losses } = defined(api, schema);
      const { a } = given!["properties"] as { a: unknown };
      expect(JSON.stringify(given)).not.toContain('"$ref"');
      const said = `$ref is omitted: ${JSON.stringify(reference)}`;
      expect(JSON.stringify(a)).toContain(JSON.stringify(said).slice(1, -1));
      expect(losses.some((loss) => loss.startsWith("/properties/a: $ref is omitted"))).toBe(true);
      if (api !== "gemini") new Ajv2020({ strict: false }).compile(given!);
    }
  });
}

Deno.test("definitions > Gemini gets each value of an enum once", () => {
  expect(property({ enum: ["a", "b", "a"] })).toEqual({ type: "STRING", enum: ["a", "b"] });
});

/** The parts of a schema that Gemini's documentation does not know, found without the linter. */
function geminiFaults(schema: unknown): string[] {
  if (schema === undefined) return [];
  const text = JSON.stringify(schema, (key, value) => key === "description" ? undefined : value);
  const faults = text.match(
    /"(\$ref|\$defs|oneOf|allOf|const|additionalProperties|default)":|"type":"[a-z]|"type":\[|"properties":\{\}/g,
  );
  return faults ?? [];
}

Deno.test("lint > each problem names the API, the tool and the fault", () => {
  const long = tool({ type: "object" }, { name: "long", description: "x".repeat(1025) });
  const spaced = tool({ type: "object" }, { name: "a b" });
  const said = lint([long, spaced], own).map(({ api, tool, problem }) =>
    `${api} ${tool}: ${problem}`
  );
  expect(said).toEqual([
    'mcp a b: the name "a b" is not one that it accepts',
    "openai long: the description has 1025 characters, but at most 1024 are accepted",
    'openai a b: the name "a b" is not one that it accepts',
    "responses long: the description has 1025 characters, but at most 1024 are accepted",
    'responses a b: the name "a b" is not one that it accepts',
    'anthropic a b: the name "a b" is not one that it accepts',
    'gemini a b: the name "a b" is not one that it accepts',
    'bedrock a b: the name "a b" is not one that it accepts',
    'ai-sdk a b: the name "a b" is not one that it accepts',
  ]);
  const many = Array.from({ length: 129 }, (_, at) => tool({ type: "object" }, { name: `t${at}` }));
  expect(lint(many, own)).toEqual(["openai", "responses"].map((api) => ({
    api,
    tool: "",
    problem: "129 tools, but at most 128 are accepted",
  })));
});
