/** The published schema accepts the same documents as the program. */
import { expect } from "@std/expect";
import { Ajv2020 } from "ajv/dist/2020.js";
import schema from "../../../../toolcall.schema.json" with { type: "json" };
import { Configuration, type SectionName } from "../../../../src/runner/config/configuration.ts";
import { readServersConfig } from "../../../../src/runner/mcp/client/servers_config.ts";
import { temporaryDirectory, toolcall } from "../../../support/executable.ts";

const ajv = new Ajv2020({ strict: true, strictRequired: true, allErrors: true });

Deno.test("toolcall.schema.json > the schema is valid by its meta-schema, and strict", () => {
  expect([ajv.validateSchema(schema), ajv.errorsText()]).toEqual([true, "No errors"]);
  expect(ajv.validateSchema({ ...schema, type: "objekt" })).toBe(false);
  ajv.compile(schema);
});

Deno.test("toolcall.schema.json > config schema prints the file byte for byte", async () => {
  const text = Deno.readTextFileSync(new URL("../../../../toolcall.schema.json", import.meta.url));
  expect(await toolcall(["config", "schema"])).toEqual({ code: 0, stdout: text, stderr: "" });
});

const sections: SectionName[] = ["mcpServers", "tools", "bundles", "permissions", "policy"];
const none = { all: false, allow: {}, deny: {} };

/** Whether a call accepts the document. */
function isRead(document: unknown): boolean {
  using directory = temporaryDirectory();
  const file = `${directory.path}/toolcall.json`;
  Deno.writeTextFileSync(file, JSON.stringify(document));
  const root = directory.path;
  try {
    const configuration = new Configuration({ file, root, variable: () => undefined });
    for (const name of sections) configuration.sections(name, none);
    const { servers } = readServersConfig({
      ...{ config: file, root, environment: () => ({}), grants: none },
    });
    return [...servers.values()].every((each) => !(each instanceof Error));
  } catch {
    return false;
  }
}

const program = { command: "x", args: ["a"], env: { A: "b" }, cwd: ".", type: "stdio" };
const remote = { url: "https://h/", headers: { A: "b" }, type: "sse", timeout: 1, startTimeout: 2 };
const accepted: unknown[] = [
  {},
  { $schema: "./toolcall.schema.json" },
  { mcpServers: { a: program, "b-c_d": { ...remote, disabled: false, description: "" } } },
  { mcpServers: { ["x".repeat(48)]: { url: "http://h" } } },
  { tools: { enabled: ["*"], disabled: [] } },
  { bundles: { mine: {}, other: { description: "d", required: ["Read"], optional: ["fs.*"] } } },
  { permissions: { "any name": { all: false, read: true, net: ["h"], run: { allow: ["git"] } } } },
  { permissions: { x: { write: { deny: true }, env: { allow: false, deny: ["A"] } } } },
  { policy: { "fs.*": { timeoutMs: 86_400_000, maxRetries: 0 } } },
  { policy: { a: { rateLimit: { calls: 1, windowMs: 2_678_400_000 } } } },
];
const refused: unknown[] = [
  [],
  "text",
  { tool: {} },
  { $schema: 1, tols: {} },
  { mcpServers: [] },
  { mcpServers: { a: {} } },
  { mcpServers: { a: "x" } },
  { mcpServers: { a: { ...program, url: "https://h/" } } },
  { mcpServers: { a: { ...program, type: "http" } } },
  { mcpServers: { a: { ...program, type: ["stdio"] } } },
  { mcpServers: { a: { ...program, headers: {} } } },
  { mcpServers: { a: { ...remote, type: "stdio" } } },
  ...["args", "env", "cwd"].map((key) => ({
    mcpServers: { a: { ...remote, [key]: program[key as keyof typeof program] } },
  })),
  ...["command", "args", "env", "cwd", "timeout", "startTimeout", "disabled", "description"].map(
    (key) => ({ mcpServers: { a: { ...program, [key]: null } } }),
  ),
  { mcpServers: { a: { ...program, command: "" } } },
  { mcpServers: { a: { ...program, timeout: 0 } } },
  { mcpServers: { a: { ...program, timeout: 2 ** 31 } } },
  { mcpServers: { a: { ...program, more: 1 } } },
  ...["", "_a", "a_", "a__b", "a.b", "x".repeat(49)].map((name) => ({
    mcpServers: { [name]: program },
  })),
  { tools: { enabled: [""] } },
  { tools: { disabled: [1] } },
  { tools: { only: [] } },
  { bundles: { "": {} } },
  { bundles: { ["x".repeat(65)]: {} } },
  { bundles: { mine: { required: "Read" } } },
  { permissions: { x: { all: "yes" } } },
  { permissions: { x: { net: [""] } } },
  { permissions: { x: { read: { alow: true } } } },
  { permissions: { x: { ffi: true } } },
  { policy: { a: { timeoutMs: 86_400_001 } } },
  { policy: { a: { maxRetries: 11 } } },
  { policy: { a: { maxRetries: -1 } } },
  { policy: { a: { rateLimit: { calls: 1 } } } },
  { policy: { a: { rateLimit: { calls: 0, windowMs: 1 } } } },
];

Deno.test("toolcall.schema.json > the schema accepts and refuses the same documents as calls", () => {
  const validate = ajv.compile(schema);
  for (const [documents, isAccepted] of [[accepted, true], [refused, false]] as const) {
    for (const document of documents) {
      const found = { document, schema: validate(document), reader: isRead(document) };
      expect(found).toEqual({ document, schema: isAccepted, reader: isAccepted });
    }
  }
});
