import { expect } from "@std/expect";
import { Registry } from "../../../../src/runner/registry/registry.ts";

const entry = (name: string) => ({
  name,
  aliases: [],
  load: () => Promise.reject(new Error("Not loaded here")),
});

Deno.test("registry > a list from registerLater is created on its first use", () => {
  const registry = new Registry([entry("First")]);
  registry.addFilter(({ name }) => name === "Closed" ? "for the test" : undefined);
  let made = 0;
  registry.registerLater(() => {
    made++;
    return ["First", "Second", "Closed"].map(entry);
  });
  expect(registry.get("First").name).toBe("First");
  // A known name does not need the list.
  expect(made).toBe(0);
  expect(registry.get("Second").name).toBe("Second");
  expect(registry.names()).toEqual(["First", "Second"]);
  expect(() => registry.get("Closed")).toThrow("for the test");
  expect(made).toBe(1);
});
