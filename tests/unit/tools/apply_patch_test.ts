import { checkedNeeds } from "../../support/checked_needs.ts";
import { expect } from "@std/expect";
import { dirname, join } from "node:path";
import { changeFiles, type FileChange } from "../../../src/base/fs/change_set.ts";
import applyPatch from "../../../tools/apply_patch.ts";
import { scratchDirectory } from "../../support/scratch_directory.ts";
import { contextFor } from "../../support/tool_context.ts";
import { type Row, type Tree, unifiedRows, v4aRows } from "./apply_patch_rows.ts";

function write(root: string, tree: Tree): void {
  for (const [path, text] of Object.entries(tree)) {
    Deno.mkdirSync(dirname(join(root, path)), { recursive: true });
    Deno.writeTextFileSync(join(root, path), text);
  }
}

function read(root: string, path = ""): Record<string, string> {
  return Object.assign(
    {},
    ...[...Deno.readDirSync(join(root, path))].map((entry) => {
      const name = join(path, entry.name);
      if (entry.isDirectory) return read(root, name);
      const bytes = Deno.readFileSync(join(root, name));
      return { [name]: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes) };
    }),
  );
}

async function apply(cwd: string, patch: string): Promise<string> {
  try {
    const names = checkedNeeds(applyPatch, { patch }, cwd, {}).map(({ name }) => name);
    expect(names.filter((name) => name === "read").length).toBe(names.length / 2);
    // The engine also keeps a journal.
    const serve = (service: string, args: unknown[]) => {
      expect(service).toBe("patches.commit");
      return Promise.resolve(changeFiles(args[0] as FileChange[]));
    };
    return String(await applyPatch.run({ patch }, contextFor(cwd, { serve })));
  } catch (error) {
    return `Error: ${(error as Error).message}`;
  }
}

async function check({ before, patch, after, says = [], isExact = false }: Row): Promise<void> {
  using directory = scratchDirectory();
  write(directory.path, before);
  const text = typeof patch === "string"
    ? patch
    : ["*** Begin Patch", ...patch, "*** End Patch", ""].join("\n");
  const said = await apply(directory.path, text);
  expect({ said, isError: said.startsWith("Error: ") }).toEqual({ said, isError: !after });
  expect(read(directory.path)).toEqual(after ?? before);
  for (const each of says) expect(said).toContain(each);
  if (isExact) expect(said).not.toContain("[");
}

for (const [format, rows] of Object.entries({ "V4A": v4aRows, "a unified diff": unifiedRows })) {
  Deno.test(`apply_patch > ${format} is applied, or changes nothing and the error says why`, async (t) => {
    for (const row of rows) await t.step(row.name, () => check(row));
  });
}

Deno.test("apply_patch > the tables have at least 80 different rows", () => {
  const names = [...v4aRows, ...unifiedRows].map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThanOrEqual(80);
});

Deno.test("apply_patch > a call needs to read and write each file, and may create directories for new files", () => {
  const patch = [
    ...["*** Begin Patch", "*** Add File: /n/a", "+x", "*** Delete File: b"],
    ...["*** Update File: c", "*** Move to: d/e", "*** End Patch"],
  ].join("\n");
  const made = { directoriesIn: "/" };
  expect(checkedNeeds(applyPatch, { patch }, "/", {})).toEqual([
    { name: "read", path: "/n/a" },
    { name: "write", path: "/n/a", ...made },
    { name: "read", path: "b" },
    { name: "write", path: "b" },
    { name: "read", path: "c" },
    { name: "write", path: "c" },
    { name: "read", path: "d/e" },
    { name: "write", path: "d/e", ...made },
  ]);
});

Deno.test("apply_patch > a moved file keeps its mode", async () => {
  using directory = scratchDirectory();
  write(directory.path, { "run.sh": "one\n" });
  Deno.chmodSync(join(directory.path, "run.sh"), 0o750);
  const patch =
    "*** Begin Patch\n*** Update File: run.sh\n*** Move to: go.sh\n@@\n-one\n+1\n*** End Patch\n";
  expect(await apply(directory.path, patch)).toContain("R ");
  expect(Deno.statSync(join(directory.path, "go.sh")).mode! & 0o777).toBe(0o750);
});

Deno.test("apply_patch > bytes that are not UTF-8 are kept, and UTF-16 stays UTF-16", async () => {
  using directory = scratchDirectory();
  const path = join(directory.path, "a.txt");
  const patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+\u00e9\n*** End Patch\n";
  const inAscii = patch.replace("\u00e9", "two");
  Deno.writeFileSync(path, Uint8Array.of(0xff, 0x78, 0x0a, 0x6f, 0x6e, 0x65, 0x0a, 0xe9, 0x0a));
  expect(await apply(directory.path, inAscii)).toContain("M ");
  expect([...Deno.readFileSync(path)])
    .toEqual([0xff, 0x78, 0x0a, 0x74, 0x77, 0x6f, 0x0a, 0xe9, 0x0a]);
  Deno.writeFileSync(path, Uint8Array.from("\xff\xfeo\0n\0e\0\n\0", (c) => c.charCodeAt(0)));
  expect(await apply(directory.path, patch)).toContain("M ");
  expect([...Deno.readFileSync(path)]).toEqual([0xff, 0xfe, 0xe9, 0, 0x0a, 0]);
});
