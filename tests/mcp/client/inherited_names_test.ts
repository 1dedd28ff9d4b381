/** Names that every object inherits are names like any other: in schemas, arguments and results. */
import { fileURLToPath } from "node:url";
import { expect } from "@std/expect";
import { argumentErrors } from "../../../src/runner/call/argument_errors.ts";
import { repairOrReject } from "../../../src/runner/call/validate.ts";
import { compileSchema } from "../../../src/runner/mcp/client/compile_schema.ts";
import type { RegisteredTool } from "../../../src/runner/registry/registered_tool.ts";
import { loadValidator } from "../../../src/runner/tools_directory/tool_record.ts";
import { compileValidator } from "../../../src/runner/tools_directory/prepare_tool.ts";
import { toGeminiSchema } from "../../../src/runner/schema/definitions/gemini_schema.ts";
import { toObjectSchema } from "../../../src/runner/schema/definitions/object_schema.ts";
import { toValidSchema } from "../../../src/runner/schema/definitions/valid_schema.ts";
import { compileSchema as compileBuiltIn } from "../../../scripts/check_tool.ts";
import type { Validator } from "../../../src/runner/registry/validator.ts";
import { attackWays, world } from "../../support/mcp/client_world.ts";

const server = fileURLToPath(
  new URL("../../support/mcp/servers/any_schema.ts", import.meta.url),
);
const NAMES = Object.getOwnPropertyNames(Object.prototype);

/** An object with one own property, also for `__proto__`. */
const objectOf = (name: string, value: unknown): Record<string, unknown> =>
  JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`);

const compilers: [
  name: string,
  compile: (schema: Record<string, unknown>) => Promise<Validator>,
][] = [
  ["a foreign schema", (schema) => compileSchema(schema, "the arguments")],
  [
    "a schema of the tools directory",
    (schema) => Promise.resolve(loadValidator(compileValidator(schema))),
  ],
  [
    "a schema of a built-in tool",
    async (schema) =>
      (await import(`data:text/javascript,${encodeURIComponent(compileBuiltIn(schema as never))}`))
        .default,
  ],
];

for (const [what, compile] of compilers) {
  Deno.test(`inherited names > ${what} asks for own properties only`, async () => {
    for (const name of NAMES) {
      const properties = objectOf(name, { type: "string" });
      const required = { type: "object", properties, required: [name] };
      const optional = { type: "object", properties };
      const [needs, may] = [await compile(required), await compile(optional)];
      const answers = {
        missing: needs({}),
        given: needs(objectOf(name, "x")),
        optional: may({}),
      };
      expect({ name, ...answers })
        .toEqual({ name, missing: false, given: true, optional: true });
      for (const [args, validate] of [[{}, needs], [objectOf(name, 1), may]] as const) {
        const tool = {
          metadata: { name: "t", inputSchema: required },
          validate,
        } as unknown as RegisteredTool;
        // The package of the validators does not check a property of the name __proto__.
        if (argumentErrors(tool, args).length === 0) continue;
        await expect(repairOrReject(tool, args, { strict: false, repairs: [] }))
          .rejects.toThrow(`- /${name}: `);
      }
    }
  });
}

for (const way of attackWays) {
  Deno.test(`inherited names > a tool of a server takes and returns them: ${way}`, async () => {
    const properties: Record<string, unknown> = JSON.parse(
      `{${NAMES.map((name) => `${JSON.stringify(name)}:{"type":"string"}`).join(",")}}`,
    );
    const all: Record<string, unknown> = JSON.parse(
      `{${NAMES.map((name) => `${JSON.stringify(name)}:"x"`).join(",")}}`,
    );
    const schemas = {
      optional: { type: "object", properties },
      required: { type: "object", properties, required: NAMES },
    };
    const entry = (schema: unknown) => ({
      command: Deno.execPath(),
      args: ["run", "-A", "--quiet", "--no-config", server, JSON.stringify(schema)],
    });
    const isRenamed = way === "upstream names";
    using here = world(
      () =>
        Object.fromEntries(
          Object.entries(schemas).slice(0, isRenamed ? 1 : 2)
            .map(([name, schema]) => [name, entry(schema)]),
        ),
      { way },
    );
    const { text, exit, structuredContent } = await here.call("mcp__optional__echo", all);
    expect({ exit, keys: Object.keys(JSON.parse(text)).sort() })
      .toEqual({ exit: 0, keys: [...NAMES].sort() });
    // The MCP package drops `__proto__` from structured data. The text has it.
    const kept = NAMES.filter((name) => name !== "__proto__");
    expect(Object.keys(structuredContent!).sort()).toEqual(kept.sort());
    if (!isRenamed) {
      expect((await here.call("mcp__optional__echo", {})).exit).toBe(0);
      const refused = await here.call("mcp__required__echo", {});
      expect(refused.exit).toBe(5);
      for (const name of NAMES) expect(refused.text).toContain(`- /${name}: required`);
    }
  });
}

Deno.test("inherited names > definitions for APIs keep them as properties, and never as types", () => {
  for (const name of NAMES) {
    const schema = {
      type: "object",
      properties: objectOf(name, { type: name, description: "named" }),
      required: [name],
    };
    for (const convert of [toGeminiSchema, toValidSchema]) {
      const { properties } = convert(schema, []) as { properties: Record<string, unknown> };
      expect({ name, isKept: Object.hasOwn(properties, name) }).toEqual({ name, isKept: true });
    }
    expect(Object.keys(toObjectSchema(schema).schema)).toContain("properties");
  }
});

Deno.test("inherited names > no command line takes one for a known name", async () => {
  using here = world(() => ({}));
  const linesFor = (name: string): string[][] => [
    ...[[name], ["describe", name], ["list", `--bundle=${name}`]],
    ...[[`-P=${name}`, "list"], ["list", `--format=${name}`]],
    ...[["help", name], ["Read", `${name}=x`]],
  ];
  const exits = async (name: string) => {
    const codes = [];
    for (const args of linesFor(name)) {
      const { code, stderr, stdout } = await here.run(args);
      expect({ args, isBug: /\bbug\b|\[native code\]/.test(stderr + stdout) })
        .toEqual({ args, isBug: false });
      codes.push(code);
    }
    return codes;
  };
  const usual = await exits("qqqqqqq");
  for (const name of NAMES) {
    expect({ name, codes: await exits(name) }).toEqual({ name, codes: usual });
  }
});

Deno.test("inherited names > a server, a permission set and a bundle may have such a name", async () => {
  using here = world(() => ({}));
  for (const name of NAMES.filter((each) => !each.startsWith("__"))) {
    const config = {
      mcpServers: { [name]: { url: "http://127.0.0.1:1/mcp", headers: { [name]: "x" } } },
      permissions: { [name]: { read: ["."] } },
      bundles: { [name]: { required: ["Read"] } },
    };
    Deno.writeTextFileSync(`${here.path}/toolcall.json`, JSON.stringify(config));
    expect({ name, code: (await here.run(["config", "check"])).code }).toEqual({ name, code: 0 });
    const listed = await here.run(["list", `--bundle=${name}`, "--format=json"]);
    expect(listed.stdout).toContain('"Read"');
  }
});
