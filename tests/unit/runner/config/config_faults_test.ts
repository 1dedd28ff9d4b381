/** The messages for a configuration that does not fit its schema. */
import { expect } from "@std/expect";
import { configFaults, isUnknownSection } from "../../../../src/runner/config/config_faults.ts";

const read = (value: unknown) => ({ permissions: { ci: { read: value } } });
const server = (value: unknown) => ({ mcpServers: { it: value } });

const rows: [document: unknown, lines: string[]][] = [
  [{}, []],
  [read(3), [
    "/permissions/ci/read: must be true, false, a list of strings, or an object of allow and deny, got 3",
  ]],
  [read([3]), ["/permissions/ci/read/0: must be a non-empty string, got 3"]],
  [read({ allow: 3 }), [
    "/permissions/ci/read/allow: must be true, false, or a list of strings, got 3",
  ]],
  [read({ deny: ["a", ""] }), [
    '/permissions/ci/read/deny/1: must be a non-empty string, got ""',
  ]],
  [read({ alow: true }), [
    '/permissions/ci/read/alow: unknown key; did you mean "allow"? Known keys: allow, deny',
  ]],
  [{ permissions: { "a/b~c": null } }, ["/permissions/a~1b~0c: must be an object, got null"]],
  [{ policy: { x: { timeoutMs: 0.5 } } }, [
    "/policy/x/timeoutMs: must be a whole number from 1 to 86400000, got 0.5",
  ]],
  [{ policy: { x: { maxRetries: "3", rateLimit: { calls: 1 } } } }, [
    '/policy/x/maxRetries: must be a whole number from 0 to 10, got "3"',
    '/policy/x/rateLimit: must have "windowMs"',
  ]],
  [{ bundles: { "a b": {} } }, [
    '/bundles/a b: invalid name; expected 1 to 64 letters, digits, "-" and "_"',
  ]],
  [{ tools: [] }, ["/tools: must be an object of enabled and disabled, got []"]],
  [{ tools: { disabled: "Bash" } }, ['/tools/disabled: must be a list of strings, got "Bash"']],
  [{ tools: { disabled: '["B"]\u001b' } }, [
    '/tools/disabled: must be a list of strings, got "[\\"B\\"]\\u001b"',
  ]],
  [{ tools: ["x".repeat(99)] }, [
    `/tools: must be an object of enabled and disabled, got ["${"x".repeat(78)}…`,
  ]],
  [{ $schema: 1, tols: {} }, [
    '/tols: unknown key; did you mean "tools"? Known keys: $schema, mcpServers, commands, apis, tools, bundles, permissions, prompts, policy',
    "/$schema: must be a string, got 1",
  ]],
  [{ mcpServers: [] }, ["/mcpServers: must be an object"]],
  [{ mcpServers: { a__b: { command: "x" } } }, [
    '/mcpServers/a__b: invalid name; expected 1 to 48 letters, digits, "-" and single "_" between them',
  ]],
  [server({}), ["/mcpServers/it: must have either command or url"]],
  [server(3), ["/mcpServers/it: must be an object"]],
  [server({ command: "x", url: "y" }), [
    "/mcpServers/it: must have either command or url, not both",
  ]],
  [server({ command: "x", headers: {} }), [
    "/mcpServers/it/headers: cannot be combined with command",
  ]],
  [server({ url: "x", type: "stdio" }), ["/mcpServers/it/type: cannot be combined with url"]],
  [server({ url: "x", type: "secret" }), [
    '/mcpServers/it/type: must be "stdio", "http", "streamable-http", or "sse"',
  ]],
  [server({ command: "x", env: { KEY: ["secret"] } }), [
    "/mcpServers/it/env/KEY: must be a string",
  ]],
];

Deno.test("config faults > each fault is one line that names the expected value", async (t) => {
  for (const [document, lines] of rows) {
    await t.step(JSON.stringify(document), () => {
      const found = configFaults(document).map(({ path, message }) => `${path}: ${message}`);
      expect(found).toEqual(lines);
    });
  }
});

Deno.test("config faults > a fault in a server shows no value", () => {
  const shown = JSON.stringify(
    rows.filter(([document]) => "mcpServers" in (document as object))
      .map(([document]) => configFaults(document)),
  );
  expect(shown).toContain("cannot be combined with");
  expect(shown).not.toContain("secret");
});

Deno.test("config faults > a top-level key that is similar to no known key belongs to another program", () => {
  const foreign = (document: unknown) => configFaults(document).map(isUnknownSection);
  expect(foreign({ inputs: [] })).toEqual([true]);
  expect(foreign({ tols: {} })).toEqual([false]);
  expect(foreign({ tools: { inputs: [] } })).toEqual([false]);
  expect(foreign({ tools: 1 })).toEqual([false]);
});
