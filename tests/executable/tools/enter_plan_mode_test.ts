import { expect } from "@std/expect";
import { call, temporaryDirectory } from "../../support/executable.ts";

Deno.test("enter plan mode > calls that change something are refused afterwards, only in that session", async () => {
  using directory = temporaryDirectory();
  const ask = (name: string, args: Record<string, unknown>, session = "one") =>
    call(name, args, {
      flags: ["-A", `--state-dir=${directory.path}`, `--session=${session}`],
      cwd: directory.path,
    });
  const command = { command: "echo works" };
  expect((await ask("Bash", command)).text).toBe("works\n");
  const entered = await ask("EnterPlanMode", {});
  expect(entered.exit).toBe(0);
  expect(entered.text).toMatch(/^Plan mode is on: /);
  expect(entered.text).toContain("ExitPlanMode");
  const refused = await ask("Bash", command);
  expect(refused.exit).toBe(6);
  expect(refused.text).toContain("in plan mode");
  expect((await ask("Bash", command, "two")).text).toBe("works\n");
  expect((await ask("EnterPlanMode", {})).text).toContain("Plan mode is on already");
  expect((await ask("Config", { setting: "plan_mode" })).text).toBe("plan_mode is true");
  const leave = await ask("Config", { setting: "plan_mode", value: false });
  expect(leave.isError).toBe(true);
  expect(leave.text).toContain("ExitPlanMode");
});

Deno.test("enter plan mode > it needs no permission, takes no argument, and returns its message as data", async () => {
  using directory = temporaryDirectory();
  const flags = [`--state-dir=${directory.path}`, "--structured"];
  const wrong = await call("EnterPlanMode", { plan: "x" }, { flags });
  expect(wrong.exit).toBe(5);
  expect(wrong.text).toContain("plan");
  const { text, structuredContent } = await call("EnterPlanMode", {}, { flags });
  expect(structuredContent).toEqual({ message: text });
});
