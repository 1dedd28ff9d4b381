/** Schemas of servers: wrong ones, old ones, and what ajv by itself gets wrong. */
import { expect } from "@std/expect";
import { compileSchema } from "../../../../../src/runner/mcp/client/compile_schema.ts";

type Row = [schema: Record<string, unknown>, valid: unknown[], invalid: unknown[]];

/** Compiles a schema, and returns what is not checked of it, and what each value gives. */
async function results([schema, valid, invalid]: Row) {
  let unchecked: readonly string[] = [];
  const validate = await compileSchema(schema, "the arguments", {
    onUnchecked: (parts) => unchecked = parts,
  });
  const [fit, misfit] = [valid, invalid].map((values) => values.map((value) => validate(value)));
  return { schema, fit, misfit, unchecked };
}

/** Expects each result, and one report that contains `part`; no report without it. */
async function expectRows(rows: readonly Row[], part?: string): Promise<void> {
  for (const row of rows) {
    const [schema, valid, invalid] = row;
    const { unchecked, ...found } = await results(row);
    expect(found).toEqual({
      schema,
      fit: valid.map(() => true),
      misfit: invalid.map(() => false),
    });
    expect(unchecked.length).toBe(part === undefined ? 0 : 1);
    if (part !== undefined) expect(unchecked[0]).toContain(part);
  }
}

Deno.test("compileSchema > a wrong part of a schema is reported and not checked, and the rest is checked", async () => {
  const coin = { type: "string" };
  const rows: [row: Row, part: string][] = [
    [
      [{ properties: { coin, required: ["coin"] } }, [{ coin: "a" }, {}], [{ coin: 1 }]],
      "required",
    ],
    [[{ properties: { coin: { ...coin, required: true } } }, [{}], [{ coin: 1 }]], "required"],
    [
      [{ properties: { coin, b: { type: "text" } } }, [{ b: 1 }], [{ coin: 1 }]],
      "/properties/b/type",
    ],
    [[{ properties: { coin }, required: "coin" }, [{}], [{ coin: 1 }]], "/required"],
    [[{ properties: { coin, b: "string" } }, [{ b: 1 }], [{ coin: 1 }]], "/properties/b"],
    [[{ properties: { coin, b: { minLength: "2" } } }, [{ b: "" }], [{ coin: 1 }]], "minLength"],
    [[{ properties: { coin, b: { $ref: "#/none" } } }, [{ b: 1 }], [{ coin: 1 }]], '"#/none"'],
    [[{ properties: { coin, b: { $ref: "a.json" } } }, [{ b: 1 }], [{ coin: 1 }]], '"a.json"'],
    [[{ $schema: "urn:own", properties: { coin } }, [{}], [{ coin: 1 }]], '"urn:own" is unknown'],
    [[{ properties: [] }, [{}, { coin: 1 }], []], "/properties is wrong"],
  ];
  for (const [row, part] of rows) {
    await expectRows([row], part);
    const [schema] = row;
    await expect(compileSchema(schema, "the arguments")).rejects.toThrow(part);
  }
});

Deno.test("compileSchema > a schema that cannot be compiled at all passes every value and is reported", async () => {
  let deep: Record<string, unknown> = {};
  for (let at = 0; at < 20_000; at++) deep = { not: deep };
  await expectRows([[deep, [{}, 1], []]], "cannot be compiled");
});

Deno.test("compileSchema > schemas of draft 4, and draft 7's lists without a draft, are checked by their own rules", async () => {
  const $schema = "http://json-schema.org/draft-04/schema#";
  await expectRows([
    [{ $schema, properties: { a: { type: "string" } } }, [{ a: "x" }], [{ a: 1 }]],
    [{ $schema, minimum: 1, exclusiveMinimum: true }, [2], [1, 0]],
    [{ $schema, minimum: 1, exclusiveMinimum: false }, [1], [0]],
    [{ $schema, maximum: 1, exclusiveMaximum: true }, [0], [1]],
    [
      {
        $schema,
        id: "http://a.test/x",
        items: { $ref: "y" },
        definitions: { y: { id: "y", minimum: 3 } },
      },
      [[3]],
      [[2]],
    ],
    [{ $schema: "https://json-schema.org/draft-07/schema", const: 1 }, [1], [2]],
    [
      { items: [{ type: "string" }], additionalItems: false },
      [["a"], []],
      [[1], ["a", "b"]],
    ],
  ]);
});

Deno.test("compileSchema > references are resolved by the URIs, anchors and dynamic anchors of a document", async () => {
  const tree = {
    $id: "https://a.test/tree",
    $dynamicAnchor: "node",
    properties: { data: true, children: { type: "array", items: { $dynamicRef: "#node" } } },
  };
  await expectRows([
    // An embedded schema has a URI that is relative to the one around it.
    [
      {
        $id: "https://a.test/dir/root",
        properties: { a: { $ref: "../other/in#deep" } },
        $defs: { b: { $id: "/other/in", $defs: { c: { $anchor: "deep", type: "integer" } } } },
      },
      [{ a: 1 }],
      [{ a: "1" }],
    ],
    // URNs with a pointer, also in a schema that contains itself.
    [
      {
        $id: "urn:example:root",
        properties: { a: { $ref: "urn:example:root#/$defs/b" } },
        $defs: { b: { properties: { next: { $ref: "#/$defs/b" }, n: { minimum: 3 } } } },
      },
      [{ a: { next: { n: 3 } } }],
      [{ a: { next: { n: 2 } } }],
    ],
    // The outermost schema decides what a dynamic anchor means.
    [
      {
        $id: "https://a.test/strict",
        $dynamicAnchor: "node",
        $ref: "tree",
        unevaluatedProperties: false,
        $defs: { tree },
      },
      [{ children: [{ data: 1 }] }],
      [{ children: [{ dat: 1 }] }, { dat: 1 }],
    ],
    // Without an outer anchor, the inner one counts.
    [
      { $id: "https://a.test/open", $ref: "tree", $defs: { tree } },
      [{ children: [{ dat: 1 }] }],
      [{ children: 1 }],
    ],
    [
      { properties: { no: { $dynamicRef: "#/$defs/no" } }, $defs: { no: false } },
      [{}],
      [{ no: 1 }],
    ],
  ]);
});

Deno.test("compileSchema > unevaluated items and properties are found as the specification says", async () => {
  const text = { type: "string" };
  await expectRows([
    // "contains" evaluates the items that fit it only.
    [{ prefixItems: [true], contains: text, unevaluatedItems: false }, [[1, "a"]], [[1, 2, "a"]]],
    [{ contains: text, minContains: 0, unevaluatedItems: false }, [["a"], []], [[1]]],
    [
      { allOf: [{ contains: text }, { contains: { minimum: 5 } }], unevaluatedItems: { const: 0 } },
      [["a", 5, 0]],
      [["a", 5, 1], [5]],
    ],
    // "if" counts by itself, and only if it fits.
    [{ if: { prefixItems: [{ const: 1 }] }, unevaluatedItems: false }, [[1]], [[2]]],
    [
      {
        if: { properties: { a: { const: 1 } }, required: ["a"] },
        else: { properties: { b: text } },
        unevaluatedProperties: false,
      },
      [{ a: 1 }, { b: "x" }],
      [{ a: 2 }, { a: 1, b: "x" }],
    ],
    // A branch that does not fit evaluates nothing.
    [{ anyOf: [{ items: text }, true], unevaluatedItems: { type: "boolean" } }, [["a", "b"]], [[
      "a",
      false,
      1,
    ]]],
  ]);
});

Deno.test("compileSchema > an empty enum fits nothing, and a property __proto__ is checked", async () => {
  const own = (value: unknown) => JSON.parse(`{"__proto__":${JSON.stringify(value)}}`);
  await expectRows([
    [{ properties: { a: { enum: [] } } }, [{}], [{ a: 1 }, { a: null }]],
    [{ properties: own({ type: "number" }) }, [own(1), {}], [own("x")]],
  ]);
});

Deno.test("compileSchema > nested conditions of a hostile schema are compiled in time that grows with their number", async () => {
  let schema: Record<string, unknown> = { minimum: 1 };
  for (let at = 0; at < 60; at++) schema = { if: schema, then: { title: `${at}` } };
  const validate = await compileSchema({ ...schema, unevaluatedProperties: false }, "it");
  expect(typeof validate).toBe("function");
});
