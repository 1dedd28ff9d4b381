/** The shell of a session when a call is cancelled. */
import { expect } from "@std/expect";
import { oneLine, type Result } from "../../support/executable.ts";
import { processesWith, uniqueSeconds } from "../../support/processes.ts";
import { sessionDesk } from "../../support/session_desk.ts";
import { until } from "../../support/wait.ts";
import { begin, ignore } from "./session_calls.ts";

Deno.test({
  name: "session shell > a cancelled call ends its command, and the shell is kept",
  ignore,
  async fn() {
    await using here = sessionDesk();
    await here.run("x=1");
    const mark = uniqueSeconds();
    const cancelled = await begin(here, `echo first; sleep ${mark}`);
    cancelled.kill("SIGINT");
    const { code, stdout } = await cancelled.output();
    const text = new TextDecoder().decode(stdout);
    const result = oneLine({ code, stdout: text, stderr: "" }) as Result;
    expect(result._meta!["toolcall/error"]).toMatchObject({
      code: "cancelled",
      shell: { session: "main", state: "kept" },
    });
    expect(result.content[0]!.text).toContain("The shell was kept, with its state.");
    expect(await until(() => processesWith(mark).length === 0)).toBe(true);
    expect((await here.run("echo $x")).text).toBe("1\n");
  },
});
