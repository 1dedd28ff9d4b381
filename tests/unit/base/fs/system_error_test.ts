import { expect } from "@std/expect";
import { type FileTarget, systemError } from "../../../../src/base/fs/system_error.ts";
import { scratchDirectory } from "../../../support/scratch_directory.ts";

function messageOf(action: FileTarget["action"], failing: () => void): string {
  try {
    failing();
  } catch (error) {
    const shown = systemError(error, { path: "/real", given: "/x", action });
    return shown instanceof Error ? shown.message : String(shown);
  }
  throw new Error("It did not fail");
}

Deno.test("systemError() > the message has the reason of the system in plain words", async (t) => {
  using directory = scratchDirectory();
  const at = (name: string) => `${directory.path}/${name}`;
  Deno.writeTextFileSync(at("file"), "");
  Deno.symlinkSync("loop", at("loop"));
  const rows: [failing: () => void, message: string][] = [
    [() => Deno.openSync(at("none")), "no such file or directory"],
    [() => Deno.openSync(directory.path, { write: true }), "it is a directory"],
    [() => Deno.openSync(at("file/x")), "a part of the path is a file, not a directory"],
    [() => Deno.openSync(at("loop")), "its symbolic links form a loop"],
    [() => Deno.openSync(at("n".repeat(300))), "the path or a name in it is too long"],
    [
      () => Deno.openSync(at("file"), { write: true, createNew: true }),
      "a file is where a directory is needed",
    ],
    [() => Deno.openSync(Deno.execPath(), { write: true }), "it is a running program"],
    [() => {
      using full = Deno.openSync("/dev/full", { write: true });
      full.writeSync(new Uint8Array(1));
    }, "no space left on device"],
    [() => Deno.removeSync(directory.path), "directory not empty"],
  ];
  for (const [failing, message] of rows) {
    await t.step(
      message,
      () => expect(messageOf("write", failing)).toBe(`Cannot write "/x": ${message}`),
    );
  }
  const coded: [code: string, message: string][] = [
    ["EACCES", "permission denied by the file system"],
    ["EROFS", "the file system is read-only"],
    ["EMFILE", "too many files are open in this process"],
  ];
  for (const [code, message] of coded) {
    await t.step(code, () => {
      const error = Object.assign(new Error("raw"), { code });
      const shown = systemError(error, { path: "/real", given: "/x", action: "edit" });
      expect(shown).toMatchObject({
        message: `Cannot edit "/x": ${message}`,
        cause: { systemError: code },
      });
    });
  }
});

Deno.test("systemError() > other errors and denied permissions are returned unchanged", () => {
  const target = { path: "/real", given: "/x", action: "read" } as const;
  for (
    const error of [
      new TypeError("a bug"),
      new Deno.errors.NotCapable("Requires read access"),
      "text",
    ]
  ) {
    expect(systemError(error, target)).toBe(error);
  }
});
