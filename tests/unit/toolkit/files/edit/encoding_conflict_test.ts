/** New text in files that are not UTF-8, by every tool that changes a part of a file. */
import { expect } from "@std/expect";
import { changeFiles, type FileChange } from "../../../../../src/base/fs/change_set.ts";
import { scratchDirectory } from "../../../../support/scratch_directory.ts";
import { contextFor } from "../../../../support/tool_context.ts";
import applyPatch from "../../../../../tools/apply_patch.ts";
import codeEdit from "../../../../../tools/code_edit.ts";
import edit from "../../../../../tools/edit.ts";
import textEditor from "../../../../../tools/str_replace_based_edit_tool.ts";

type Call = (root: string, text: string) => unknown;

/** `int a=1;` becomes the text, or gets the text as a line below it. */
const changes: Readonly<Record<string, Call>> = {
  Edit: (root, new_string) => {
    const args = { file_path: `${root}/file`, old_string: "int a=1;", new_string };
    return edit.run({ ...args, replace_all: false }, contextFor(root));
  },
  "Edit with edits": (root, new_string) => {
    const edits = [{ old_string: "int", new_string: "long" }, {
      old_string: "long a=1;",
      new_string,
    }];
    return edit.run({ file_path: `${root}/file`, edits, replace_all: false }, contextFor(root));
  },
  "code_edit of text": (root, new_string) => {
    const args = { action: "replace", path: "file", old_string: "int a=1;", new_string } as const;
    return codeEdit.run(args, contextFor(root));
  },
  "code_edit of lines": (root, new_string) =>
    codeEdit.run({ action: "insert", path: "file", start_line: 2, new_string }, contextFor(root)),
  "the editor's str_replace": (root, new_str) => {
    const args = { command: "str_replace", path: `${root}/file`, old_str: "int a=1;" } as const;
    return textEditor.run({ ...args, new_str }, editorContext(root));
  },
  "the editor's insert": (root, insert_text) => {
    const args = { command: "insert", path: `${root}/file`, insert_line: 1 } as const;
    return textEditor.run({ ...args, insert_text }, editorContext(root));
  },
  apply_patch: (root, text) => {
    const patch =
      `*** Begin Patch\n*** Update File: file\n@@\n-int a=1;\n+${text}\n*** End Patch\n`;
    return applyPatch.run({ patch }, contextFor(root, { serve: commit }));
  },
};

function editorContext(root: string) {
  return contextFor(root, { serve: () => Promise.resolve(undefined) });
}

function commit(_service: string, args: readonly unknown[]): Promise<void> {
  return Promise.resolve(changeFiles(args[0] as FileChange[]));
}

const LATIN1 = Uint8Array.from("// na\xefve\nint a=1;\n", (letter) => letter.charCodeAt(0));

/** Makes a change of a file with these bytes. Returns the error's message, and the bytes after. */
async function changed(call: Call, bytes: Uint8Array, text: string): Promise<[string, Uint8Array]> {
  using directory = scratchDirectory();
  const path = `${directory.path}/file`;
  Deno.writeFileSync(path, bytes);
  const said = await Promise.resolve(call(directory.path, text)).then(
    () => "",
    (error) => error.message,
  );
  return [said, Deno.readFileSync(path)];
}

Deno.test("new text > text outside ASCII is refused in a file that is not UTF-8", async (t) => {
  for (const [name, call] of Object.entries(changes)) {
    await t.step(name, async () => {
      const [said, after] = await changed(call, LATIN1, "int a=1; // d\u00e9j\u00e0");
      expect(said).toMatch(
        /: the file is not UTF-8 \(line 1 has other bytes\), and .* has "\u00e9"/,
      );
      expect(said).toContain("iconv -f ISO-8859-1 -t UTF-8");
      expect([...after]).toEqual([...LATIN1]);
    });
  }
});

Deno.test("new text > ASCII is written to every file, and other text to UTF-8 with a few wrong bytes", async (t) => {
  const damaged = Uint8Array.of(...new TextEncoder().encode("// \u00e9\u00e8\n"), ...LATIN1);
  for (const [name, call] of Object.entries(changes)) {
    await t.step(name, async () => {
      const [said, after] = await changed(call, LATIN1, "int b=2;");
      expect(said).toBe("");
      expect([...after.subarray(0, 9)]).toEqual([...LATIN1.subarray(0, 9)]);
      expect(new TextDecoder().decode(after)).toContain("int b=2;\n");
      const [refusal, whole] = await changed(call, damaged, "int b=2; // \u00e9");
      expect(refusal).toBe("");
      expect(new TextDecoder().decode(whole)).toContain("int b=2; // \u00e9\n");
    });
  }
});

Deno.test("new text > a search for text outside ASCII says that the file is not UTF-8", async () => {
  using directory = scratchDirectory();
  const path = `${directory.path}/file`;
  Deno.writeFileSync(path, LATIN1);
  const context = editorContext(directory.path);
  const old = "na\u00efve";
  const patch = `*** Begin Patch\n*** Update File: file\n@@\n-// ${old}\n+x\n*** End Patch\n`;
  const searches = [
    () =>
      edit.run({ file_path: path, old_string: old, new_string: "x", replace_all: false }, context),
    () => textEditor.run({ command: "str_replace", path, old_str: old, new_str: "x" }, context),
    () => applyPatch.run({ patch }, context),
  ];
  for (const search of searches) {
    await expect(Promise.resolve().then<unknown>(search)).rejects.toThrow(
      /: the file is not UTF-8 \(line 1 has other bytes\), and (old_str(ing)?|the patch) has "\u00ef"/,
    );
  }
});
