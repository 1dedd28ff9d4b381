import { expect } from "@std/expect";
import { followRefs, refTarget, resolveRef } from "../../../../src/base/json/schema_ref.ts";

const root = {
  $defs: {
    name: { $anchor: "name", type: "string" },
    alias: { $ref: "#/$defs/name", description: "An alias" },
    circle: { $ref: "#/$defs/other" },
    other: { $ref: "#/$defs/circle" },
    outside: { $ref: "https://example.com/schema", type: "object" },
  },
};

Deno.test("$ref > a pointer and an anchor resolve to the same schema, and other references do not resolve", () => {
  const { name } = root.$defs;
  expect(resolveRef(root, "#")).toBe(root);
  expect(resolveRef(root, "#/$defs/name")).toBe(name);
  expect(resolveRef(root, "#name")).toBe(name);
  for (const unknown of ["#none", "#/none", "https://example.com/schema", 1, undefined]) {
    expect(resolveRef(root, unknown)).toBeUndefined();
  }
});

Deno.test("$ref > a chain resolves to its last schema, and a circular reference does not resolve", () => {
  const { name, outside } = root.$defs;
  const alias = { $ref: "#/$defs/alias", title: "A title" };
  expect(followRefs(alias, root))
    .toEqual({ ...name, description: "An alias", title: "A title" });
  expect(refTarget(alias, root)).toBe(name);
  const circle = { $ref: "#/$defs/circle" };
  expect(followRefs(circle, root)).toBeUndefined();
  expect(refTarget(circle, root)).toBeUndefined();
  expect(followRefs(outside, root)).toBeUndefined();
  expect(refTarget(outside, root)).toBe(outside);
});
