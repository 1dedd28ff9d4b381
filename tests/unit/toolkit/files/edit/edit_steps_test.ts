import { checkedNeeds } from "../../../../support/checked_needs.ts";
import { expect } from "@std/expect";
import edit from "../../../../../tools/edit.ts";
import { scratchDirectory } from "../../../../support/scratch_directory.ts";
import { contextFor } from "../../../../support/tool_context.ts";

type Step = [old_string: string, new_string: string, replace_all?: boolean];

/** Edits a file with the given content. Returns the result or the error, and the new content. */
async function tried(content: string, steps: Step[]): Promise<[said: string, after: string]> {
  using directory = scratchDirectory();
  const file_path = `${directory.path}/file`;
  Deno.writeTextFileSync(file_path, content);
  const edits = steps.map(([old_string, new_string, replace_all = false]) => ({
    ...{ old_string, new_string, replace_all },
  }));
  const args = { file_path, replace_all: false, edits };
  let said: string;
  try {
    checkedNeeds(edit, args, "/", {});
    said = String(await edit.run(args, contextFor("/")));
  } catch (error) {
    said = (error as Error).message;
  }
  return [said.replaceAll(file_path, "/file"), Deno.readTextFileSync(file_path)];
}

Deno.test("edit > several replacements are made, each in the result of the one before", async (t) => {
  const rows: [before: string, steps: Step[], after: string, count: number][] = [
    ["a\nb\nc\n", [["a", "x"], ["c", "z"]], "x\nb\nz\n", 2],
    ["a\nb\n", [["a", "b"], ["b\nb", "c"]], "c\n", 2],
    ["a\na\nb\n", [["a", "x", true], ["b", "y"]], "x\nx\ny\n", 3],
    ["a\r\nb\r\n", [["a\nb", "x\ny"]], "x\r\ny\r\n", 1],
    ["\u00e9\u00e8\n", [["\u00e8", "\u00ea"]], "\u00e9\u00ea\n", 1],
    ["one", [["one", "1"], ["1", "one more"]], "one more", 2],
    ["a\n", [["a\n", ""]], "", 1],
  ];
  for (const [before, steps, expected, count] of rows) {
    await t.step(JSON.stringify(steps), async () => {
      const [said, after] = await tried(before, steps);
      expect(after).toBe(expected);
      expect(said).toContain(`Edited "/file": ${count} replacement${count === 1 ? "" : "s"}\n@@`);
      expect(said).not.toContain("\ufffd");
    });
  }
});

Deno.test("edit > no replacement is made if one of several fails, and the error names it", async (t) => {
  const rows: [steps: Step[], error: string][] = [
    [[["a", "x"], ["q", "y"]], "Edit 2 of 2 failed, so none was made. Cannot edit"],
    [[["b", "x"], ["a", "y"]], "Edit 1 of 2 failed, so none was made. Cannot edit"],
    [[["a", "x"], ["a", "a"]], "old_string and new_string of edit 2 of 2 are equal"],
    [[["", "x"]], "edit 1 of 1 has an empty old_string"],
    [[], "edits is empty"],
  ];
  for (const [steps, error] of rows) {
    await t.step(error, async () => {
      const [said, after] = await tried("a\nb\nb\n", steps);
      expect(after).toBe("a\nb\nb\n");
      expect(said).toContain(error);
    });
  }
});

Deno.test("edit > the arguments are either one replacement or a list of edits", () => {
  const edits = [{ old_string: "a", new_string: "b" }];
  const needs = (args: Partial<Parameters<typeof edit.permissions.needs>[0]>) => () =>
    checkedNeeds(edit, { file_path: "/a", replace_all: false, ...args }, "/", {});
  expect(needs({ edits })()).toEqual([
    { name: "read", path: "/a" },
    { name: "write", path: "/a" },
  ]);
  expect(needs({})).toThrow("old_string and new_string are required, or edits");
  expect(needs({ old_string: "a" })).toThrow("are required, or edits");
  expect(needs({ edits, new_string: "a" })).toThrow("give either edits, or old_string");
});
