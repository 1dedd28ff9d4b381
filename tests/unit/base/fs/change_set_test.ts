import { expect } from "@std/expect";
import { join } from "node:path";
import {
  changeFiles,
  changeState,
  type FileChange,
  putBytes,
} from "../../../../src/base/fs/change_set.ts";
import { scratchDirectory } from "../../../support/scratch_directory.ts";

const bytes = (text: string | null) => text === null ? null : new TextEncoder().encode(text);

const rows: [name: string, before: string | null, after: string | null][] = [
  ["changed", "old", "new"],
  ["added", null, "new"],
  ["removed", "old", null],
  ["last", "old", "new"],
];

function prepare(root: string): FileChange[] {
  return rows.map(([name, before, after]) => {
    const path = join(root, name);
    if (before !== null) Deno.writeTextFileSync(path, before);
    return { path, given: name, before: bytes(before), after: bytes(after) };
  });
}

function tree(root: string): Record<string, string> {
  const names = [...Deno.readDirSync(root)].map(({ name }) => name).sort();
  return Object.fromEntries(names.map((name) => [name, Deno.readTextFileSync(join(root, name))]));
}

const old = { changed: "old", last: "old", removed: "old" };

Deno.test("changeFiles() > makes all changes", () => {
  using directory = scratchDirectory();
  const changes = prepare(directory.path);
  changeFiles(changes);
  expect(tree(directory.path)).toEqual({ added: "new", changed: "new", last: "new" });
  expect(changes.map(changeState)).toEqual(rows.map(() => "after"));
});

Deno.test("changeFiles() > reverts the earlier changes when one fails", () => {
  using directory = scratchDirectory();
  const changes = prepare(directory.path);
  let undoes = 0;
  const put: typeof putBytes = (change, step) => {
    if (change.given === "last") throw new Error("the disk is full");
    putBytes(change, step);
  };
  expect(() => changeFiles(changes, { put, onUndo: () => undoes++ })).toThrow("the disk is full");
  expect(tree(directory.path)).toEqual(old);
  expect(undoes).toBe(1);
});

Deno.test("changeFiles() > makes no change if another program changed a file", () => {
  using directory = scratchDirectory();
  const changes = prepare(directory.path);
  Deno.writeTextFileSync(join(directory.path, "last"), "other");
  expect(() => changeFiles(changes)).toThrow('Cannot patch "last": another program changed it');
  expect(tree(directory.path)).toEqual({ ...old, last: "other" });
});

Deno.test("changeState() > returns other for a symlink and for a directory at the path of the file", () => {
  using directory = scratchDirectory();
  const [changed, added] = prepare(directory.path);
  Deno.renameSync(changed!.path, `${directory.path}/elsewhere`);
  Deno.symlinkSync(`${directory.path}/elsewhere`, changed!.path);
  Deno.symlinkSync(`${directory.path}/missing`, added!.path);
  expect(changeState(changed!)).toBe("other");
  expect(changeState(added!)).toBe("other");
  Deno.removeSync(changed!.path);
  Deno.mkdirSync(changed!.path);
  expect(changeState(changed!)).toBe("other");
});
