/** A time limit in the configuration ends a program. */
// tier: machine
import { expect } from "@std/expect";
import { executeCall } from "../../../../src/runner/call/execute.ts";
import { has } from "../../../support/programs.ts";
import { temporaryDirectory } from "../../../support/temporary_directory.ts";
import { settingsIn } from "./settings_in.ts";

Deno.test({
  name:
    "policy > a configured time limit ends a program whose argument allows more, and the error reports it",
  ignore: !has("bash"),
  async fn() {
    using directory = temporaryDirectory();
    // Bash must print before this limit, also on a busy machine.
    const settings = settingsIn(directory.path, { timeoutMs: 5_000 });
    const args = { command: "echo begun; sleep 600" };
    const { content, _meta } = await executeCall({ name: "Bash", arguments: args }, settings);
    expect(content[0]).toMatchObject({
      text: "begun\nThe time limit of 5000 ms passed; the output is what there was by then",
    });
    expect(_meta!["toolcall/error"]).toMatchObject({ code: "timeout", timeoutMs: 5_000 });
  },
});
