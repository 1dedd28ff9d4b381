import { expect } from "@std/expect";
import { apiNames, isApiName } from "../../../../src/runner/registry/api_names.ts";
import { Registry } from "../../../../src/runner/registry/registry.ts";
import type { RegistryEntry } from "../../../../src/runner/registry/registered_tool.ts";

function entry(name: string, aliases: string[] = []): RegistryEntry {
  return { name, aliases, load: () => Promise.reject(new Error("Not needed here")) };
}

/** The names for the APIs, by the names of the tools. */
function named(...tools: RegistryEntry[]): Record<string, string> {
  return Object.fromEntries([...apiNames(tools)].map(([name, tool]) => [tool.name, name]));
}

Deno.test("apiNames > a name that every API takes stays, and `_` replaces each refused character", () => {
  expect(
    named(entry("Read"), entry("fs.read", ["fs_read"]), entry("7zip"), entry("-n"), entry("é")),
  )
    .toEqual({ Read: "Read", "fs.read": "fs_read", "7zip": "_7zip", "-n": "_-n", é: "_" });
});

Deno.test("apiNames > each tool has a unique name, which does not depend on the order of the tools", () => {
  const tools = [entry("a.b"), entry("a_b"), entry("a/b"), entry("x", ["c_d"]), entry("c.d")];
  const names = named(...tools);
  expect(names).toEqual(named(...tools.reverse()));
  expect(new Set(Object.values(names)).size).toBe(5);
  expect(Object.values(names).every(isApiName)).toBe(true);
  expect(names["a_b"]).toBe("a_b");
  expect(names["c.d"]).toMatch(/^c_d_[0-9a-f]{8}$/);
});

Deno.test("apiNames > names that are too long get different hashes at their end", () => {
  const [one, other] = [`${"x".repeat(70)}1`, `${"x".repeat(70)}2`];
  const names = named(entry(one), entry(other));
  expect(names[one]).toMatch(/^x{55}_[0-9a-f]{8}$/);
  expect(names[one]).not.toBe(names[other]);
});

Deno.test("Registry > a tool is found by its name for the APIs", () => {
  const registry = new Registry([entry("mcp__files__read.text"), entry("a.b"), entry("a_b")]);
  expect(registry.get("mcp__files__read_text").name).toBe("mcp__files__read.text");
  expect(registry.get("a_b").name).toBe("a_b");
  for (const [name, tool] of registry.apiNames()) expect(registry.get(name)).toBe(tool);
});
