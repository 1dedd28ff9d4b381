import { checkedNeeds } from "../../support/checked_needs.ts";
import { expect } from "@std/expect";
import codeEdit from "../../../tools/code_edit.ts";
import { call, temporaryDirectory } from "../../support/executable.ts";
import { contextFor } from "../../support/tool_context.ts";

type Args = Omit<Parameters<typeof codeEdit.run>[0], "path">;

/** Changes a file with this text. Returns the message of the tool, and the text afterwards. */
async function tried(text: string, args: Args): Promise<[said: string, after: string]> {
  using directory = temporaryDirectory();
  const path = `${directory.path}/f`;
  Deno.writeTextFileSync(path, text);
  let said: string;
  try {
    checkedNeeds(codeEdit, { ...args, path: "f" }, directory.path, {});
    said = String(await codeEdit.run({ ...args, path: "f" }, contextFor(directory.path)));
  } catch (error) {
    said = (error as Error).message;
  }
  const bytes = Deno.readFileSync(path);
  return [said, new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)];
}

const replace = { action: "replace" } as const;
const insert = { action: "insert" } as const;
const remove = { action: "delete" } as const;

Deno.test("code_edit > it makes exactly the requested change", async () => {
  const rows: [before: string, args: Args, after: string][] = [
    ["a b\n", { ...replace, old_string: "b", new_string: "$&" }, "a $&\n"],
    ["a a\n", { ...replace, old_string: "a", new_string: "", replace_all: true }, " \n"],
    ["a\nb\nc\n", { ...replace, start_line: 2, new_string: "x\ny" }, "a\nx\ny\nc\n"],
    ["a\nb\nc\n", { ...replace, start_line: 2, end_line: 3, new_string: "x\n" }, "a\nx\n"],
    ["a\nb", { ...replace, start_line: 2, new_string: "x\n" }, "a\nx"],
    ["a\nb\n", { ...replace, start_line: 1, new_string: "" }, "\nb\n"],
    ["a\r\nb\r\n", { ...replace, start_line: 1, new_string: "x\ny" }, "x\r\ny\r\nb\r\n"],
    ["a\nb\n", { ...insert, start_line: 1, new_string: "x" }, "x\na\nb\n"],
    ["a\nb\n", { ...insert, start_line: 2, new_string: "x\n\n" }, "a\nx\n\nb\n"],
    ["a\nb\n", { ...insert, start_line: 3, new_string: "x" }, "a\nb\nx\n"],
    ["a\nb", { ...insert, start_line: 3, new_string: "x\n" }, "a\nb\nx"],
    ["", { ...insert, start_line: 1, new_string: "x" }, "x\n"],
    ["\ufeffa\n", { ...insert, start_line: 1, new_string: "x" }, "\ufeffx\na\n"],
    ["\ufeff", { ...insert, start_line: 1, new_string: "x" }, "\ufeffx\n"],
    ["a\r\n", { ...insert, start_line: 2, new_string: "x\r\ny\n" }, "a\r\nx\r\ny\r\n"],
    ["a\nb\nc\n", { ...remove, start_line: 2 }, "a\nc\n"],
    ["a\nb\nc", { ...remove, start_line: 2, end_line: 3 }, "a\n"],
    ["\ufeffa\nb\n", { ...remove, start_line: 1 }, "\ufeffb\n"],
  ];
  for (const [before, args, after] of rows) {
    const [said, found] = await tried(before, args);
    expect([args, found, said.split("\n")[0]]).toEqual([args, after, 'Edited "f": 1 change']
      .map((each, at) => at === 2 && args.replace_all ? 'Edited "f": 2 changes' : each));
  }
});

Deno.test("code_edit > the result is the change as a diff", async () => {
  const text = Array.from({ length: 9 }, (_, at) => `${at + 1}\n`).join("");
  const [said] = await tried(text, { ...replace, start_line: 5, end_line: 6, new_string: "x" });
  expect(said).toBe('Edited "f": 1 change\n@@ -2,8 +2,7 @@\n 2\n 3\n 4\n-5\n-6\n+x\n 7\n 8\n 9');
});

Deno.test("code_edit > an invalid change is refused, and changes nothing", async () => {
  const text = "a\nb\na\n";
  const rows: [args: Args, says: string][] = [
    [{ ...remove, start_line: 4 }, "it has 3 lines, no line 4"],
    [{ ...remove, start_line: 2, end_line: 9 }, "it has 3 lines, no line 9"],
    [
      { ...insert, start_line: 5, new_string: "x" },
      "no line 5 to insert before; line 4 is its end",
    ],
    [{ ...remove, start_line: 3, end_line: 2 }, "end_line 2 is before start_line 3"],
    [{ ...replace, old_string: "a", new_string: "x" }, "occurs 2 times, at lines 1 and 3"],
    [{ ...replace, old_string: "z", new_string: "x" }, "old_string was not found"],
    [{ ...replace, old_string: "a", new_string: "a" }, "are equal"],
    [{ ...replace, old_string: "a", start_line: 1, new_string: "x" }, "either old_string or lines"],
    [{ ...replace, new_string: "x" }, "replace needs old_string or start_line"],
    [{ ...replace, start_line: 1, new_string: "x", replace_all: true }, "needs an old_string"],
    [{ ...insert, start_line: 1 }, "insert needs a new_string"],
    [{ ...insert, start_line: 1, end_line: 1, new_string: "x" }, "takes no end_line"],
    [{ ...remove, old_string: "a" }, "are only for replace, not delete"],
    [{ ...remove, start_line: 1, new_string: "" }, "takes no new_string"],
  ];
  for (const [args, says] of rows) {
    const [said, after] = await tried(text, args);
    expect(said).toMatch(/^(Cannot edit "f": |Invalid arguments for "code_edit":\n- \/)/);
    expect(said).toContain(says);
    expect(after).toBe(text);
  }
  const [binary] = await tried("\0\x01\n", { ...remove, start_line: 1 });
  expect(binary).toContain("not text");
});

Deno.test("code_edit > no insertion is lost when calls in sandboxes run at the same time", async () => {
  using directory = temporaryDirectory();
  Deno.writeTextFileSync(`${directory.path}/f`, "0\n", { mode: 0o640 });
  const flags = [`--allow-read=${directory.path}`, `--allow-write=${directory.path}`];
  const numbers = Array.from({ length: 6 }, (_, at) => String(at + 1));
  const results = await Promise.all(
    numbers.map((new_string) =>
      call("code_edit", { ...insert, path: "f", start_line: 1, new_string }, {
        flags,
        cwd: directory.path,
      })
    ),
  );
  expect(results.map(({ isError }) => isError)).toEqual(numbers.map(() => false));
  expect(Deno.readTextFileSync(`${directory.path}/f`).trim().split("\n").sort())
    .toEqual(["0", ...numbers]);
  expect(Deno.statSync(`${directory.path}/f`).mode! & 0o777).toBe(0o640);
  const refused = await call("code_edit", { ...remove, path: "f", start_line: 1 }, {
    flags: flags.slice(0, 1),
    cwd: directory.path,
  });
  expect([refused.exit, refused.text.includes("--allow-write=")]).toEqual([6, true]);
});
