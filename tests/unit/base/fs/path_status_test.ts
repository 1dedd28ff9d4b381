/** The status of a path is the same through the runtime and through the C library. */
import { expect } from "@std/expect";
import { isMissing, lookAt, modeKind } from "../../../../src/base/fs/path_status.ts";
import { keepFileCalls, keptFileCalls } from "../../../../src/base/fs/system_file.ts";
import { temporaryDirectory } from "../../../support/temporary_directory.ts";

Deno.test("lookAt and isMissing > return the same through the runtime and through the C library", () => {
  using directory = temporaryDirectory();
  const { path } = directory;
  Deno.writeTextFileSync(`${path}/file`, "text");
  Deno.symlinkSync("nothing", `${path}/dangling`);
  Deno.symlinkSync("loop", `${path}/loop`);
  const names = [".", "file", "dangling", "loop", "nothing", "file/below", "loop/below", "a\0b"];
  names.push("long".repeat(2_000));
  const look = (name: string) => {
    const status = lookAt(`${path}/${name}`);
    return [isMissing(`${path}/${name}`), status && modeKind(status.mode), status?.size];
  };
  const looks = () => Object.fromEntries(names.map((name) => [name, look(name)]));
  expect(keptFileCalls()).toBeUndefined();
  const byRuntime = looks();
  expect(byRuntime).toMatchObject({
    ...{ file: [false, "file", 4], dangling: [false, "symlink", 7], loop: [false, "symlink", 4] },
    ...{ nothing: [true, undefined, undefined], "file/below": [true, undefined, undefined] },
    "loop/below": [false, undefined, undefined],
  });
  keepFileCalls();
  expect(looks()).toEqual(byRuntime);
});
