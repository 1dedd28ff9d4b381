/** Tools that are disabled one by one or by a filter, and the events for subscribers. */
import { expect } from "@std/expect";
import { Registry } from "../../../../src/runner/registry/registry.ts";

const entry = (name: string, aliases: string[] = []) => ({
  ...{ name, aliases },
  load: () => Promise.reject(new Error("Not needed here")),
});

Deno.test("Registry > the error for a disabled tool differs from the one for an unknown tool", () => {
  const registry = new Registry([entry("Read", ["FileRead"]), entry("Write")]);
  registry.disable("Read", "the user said so");
  for (const name of ["Read", "FileRead"]) {
    expect(() => registry.get(name)).toThrow('The tool "Read" is disabled: the user said so');
  }
  expect(() => registry.get("Reed")).toThrow("Unknown tool");
  expect(() => registry.disable("Reed", "")).toThrow("Unknown tool");
  expect(() => registry.enable("FileRead")).toThrow("Unknown tool");
  expect(registry.names()).toEqual(["Write"]);
  expect(() => registry.register(entry("FileRead"))).toThrow("the name is already used");
  registry.enable("Read");
  expect(registry.get("FileRead").name).toBe("Read");
});

Deno.test("Registry > a filter also applies to tools that are registered later, and subscribers get events", () => {
  const registry = new Registry([entry("Read"), entry("Write")]);
  const events: string[] = [];
  registry.subscribe(({ type, name }) => events.push(`${type} ${name}`));
  registry.addFilter(({ name }) => name.startsWith("W") ? "no writing" : undefined);
  registry.addFilter(({ name }) => name.endsWith("e") ? "no e" : undefined);
  registry.register(entry("Wipe"));
  registry.disable("Read", "once");
  registry.disable("Read", "twice");
  registry.enable("Read");
  registry.enable("Read");
  registry.unregister("Wipe");
  registry.register(entry("Glob"));
  expect(events).toEqual([
    ...["disabled Write", "registered Wipe", "disabled Wipe", "disabled Read", "enabled Read"],
    ...["unregistered Wipe", "registered Glob"],
  ]);
  expect(() => registry.get("Write")).toThrow("disabled");
  expect(registry.entries().map(({ name }) => name)).toEqual(["Read", "Glob"]);
});

Deno.test("Registry > a filter applies before subscribers get an event", () => {
  const registry = new Registry([entry("Read")]);
  registry.addFilter(({ name }) => name.startsWith("W") ? "no writing" : undefined);
  const found: string[] = [];
  registry.subscribe(({ type, name }) => {
    if (type === "registered" && registry.names().includes(name)) found.push(name);
  });
  for (const name of ["Write", "Wipe", "Glob"]) registry.register(entry(name));
  expect(found).toEqual(["Glob"]);
  expect(() => registry.get("Wipe")).toThrow('The tool "Wipe" is disabled: no writing');
  expect(registry.names()).toEqual(["Read", "Glob"]);
});
