/** The example program of docs/asking.md. */
// tier: machine
import { expect } from "@std/expect";
import { call, temporaryDirectory } from "../../../support/executable.ts";
import { has } from "../../../support/programs.ts";
import { args, program } from "./asking_program.ts";

Deno.test({
  name: "--ask=exec > the example program of the documentation answers",
  ignore: !has("jq"),
  async fn() {
    using directory = temporaryDirectory();
    const page = Deno.readTextFileSync(new URL("../../../../docs/asking.md", import.meta.url));
    const path = program(directory.path, page.match(/```sh\n#!\/bin\/sh\n([^`]*)```/)![1]!);
    const result = await call("AskUserQuestion", args, { flags: [`--ask=exec:${path}`] });
    expect(result.text).toContain("Answer: Here");
  },
});
