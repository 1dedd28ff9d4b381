/** Each foreign part of a release has a license, and is in the bill of materials. */
// tier: machine
import { expect } from "@std/expect";
import {
  ALLOWED_LICENCES,
  type Component,
  components,
  noticesText,
} from "../../../../scripts/release/components.ts";
import { bundledPackages } from "../../../../scripts/release/lock_file.ts";
import { billOfMaterials } from "../../../../scripts/release/sbom.ts";
import { entryModules, graph } from "../../../support/module_graph.ts";

const all = await components();
const state = { commit: "0123456789abcdef", time: "2026-01-01T00:00:00Z" };

Deno.test("components > every package that the modules of the program reach has an entry", async () => {
  const reached = new Set<string>();
  for (const entry of entryModules()) {
    for (const { specifier } of await graph(entry)) {
      const [, name] = /^npm:\/?((?:@[^/]+\/)?[^@/]+)@/.exec(specifier) ?? [];
      if (name !== undefined) reached.add(name);
    }
  }
  expect(reached.size).toBeGreaterThan(15);
  const names = new Set(bundledPackages().map(({ name }) => name));
  // The program does not contain the types of tests and of the schema compiler.
  const types = ["json-schema-to-ts", "@types/turndown"];
  expect([...reached].filter((name) => !names.has(name) && !types.includes(name))).toEqual([]);
});

Deno.test("components > each component has an allowed license with its text", () => {
  expect(all.length).toBeGreaterThan(60);
  for (const { name, licence, text } of all) {
    expect({ name, isAllowed: ALLOWED_LICENCES.includes(licence) }).toEqual({
      name,
      isAllowed: true,
    });
    expect({ name, hasText: text.length > 400 }).toEqual({ name, hasText: true });
  }
  const names = all.map(({ name }) => name);
  for (const name of ["Deno", "V8", "ripgrep", "PDFium", "web-tree-sitter", "ajv"]) {
    expect(names).toContain(name);
  }
});

Deno.test("components > the notices name each component with its version and its license", () => {
  const notices = noticesText(all);
  for (const { name, version, licence } of all) {
    expect(notices).toContain(`- ${name} ${version}: ${licence}\n`);
    expect(notices).toContain(`${name} ${version}\nLicence: ${licence}\n`);
  }
  expect(notices).not.toMatch(/\r|[ \t]$/m);
});

Deno.test("billOfMaterials > each component is listed once, with a hash if it is a package", () => {
  const text = billOfMaterials("1.2.3", { ...state, components: all });
  expect(billOfMaterials("1.2.3", { ...state, components: all })).toBe(text);
  const bill = JSON.parse(text);
  expect(bill).toMatchObject({ bomFormat: "CycloneDX", specVersion: "1.5", version: 1 });
  expect(bill.serialNumber).toMatch(
    /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
  expect(bill.components.length).toBe(all.length);
  const references = bill.components.map((each: { "bom-ref": string }) => each["bom-ref"]);
  expect(new Set(references).size).toBe(references.length);
  expect(bill.dependencies[0].dependsOn).toEqual(references);
  all.forEach((component: Component, at) => {
    const { hashes, licenses } = bill.components[at];
    expect(licenses.length).toBe(1);
    if (component.package === undefined) expect(hashes).toBeUndefined();
    else {
      const [{ alg, content }] = hashes;
      expect([alg, hashes.length]).toEqual(["SHA-512", 1]);
      expect(content).toMatch(/^[0-9a-f]{128}$/);
    }
  });
});
