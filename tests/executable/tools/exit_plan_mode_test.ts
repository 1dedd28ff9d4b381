import { expect } from "@std/expect";
import type { Question } from "../../../src/runner/registry/services.ts";
import { State } from "../../../src/runner/state/state.ts";
import { call, temporaryDirectory } from "../../support/executable.ts";

const plan = "1. Rename `a` to `b`\n2. Run the tests";
const allowedPrompts = [{ tool: "Bash", prompt: "run the tests" }];

/** Calls in one session, with a program that gives every question the same answer. */
function desk(answer: string) {
  const directory = temporaryDirectory();
  const path = `${directory.path}/ask.ts`;
  const script = `const text = await new Response(Deno.stdin.readable).text();
    Deno.writeTextFileSync(import.meta.filename + ".asked", text);
    const answer = ${JSON.stringify(answer)};
    const answers = JSON.parse(text).questions.map(({ question }) => [question, answer]);
    console.log(JSON.stringify({ answers: Object.fromEntries(answers) }));`;
  // The kernel passes the rest of this line as one argument, and env splits it.
  const head = `#!/usr/bin/env -S "${Deno.execPath()}" run -A\n`;
  Deno.writeTextFileSync(path, head + script, { mode: 0o755 });
  const flags = [`--state-dir=${directory.path}/state`, "--session=one", `--ask=exec:${path}`];
  return {
    plan: () => call("Config", { setting: "plan_mode", value: true }, { flags }),
    leave: (args: Record<string, unknown>) => call("ExitPlanMode", args, { flags }),
    async isOn(): Promise<boolean> {
      const { text } = await call("Config", { setting: "plan_mode" }, { flags: [flags[0]!, "-A"] });
      expect(text).toContain("plan_mode");
      const bash = await call("Bash", { command: "true" }, { flags: [...flags, "-A"] });
      return bash.text.includes("in plan mode");
    },
    asked(): Question | undefined {
      try {
        return JSON.parse(Deno.readTextFileSync(`${path}.asked`)).questions[0];
      } catch {
        return undefined;
      }
    },
    approved() {
      const state = new State(`${directory.path}/state`, "one");
      const owner = { space: "tool ExitPlanMode", session: "one" };
      const value = state.values.get(owner, "approved");
      state.close();
      return value as { at: string } | undefined;
    },
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

Deno.test("exit plan mode > a plan that the user approves is stored, and ends plan mode", async () => {
  using here = desk("Approve");
  await here.plan();
  const before = Date.now();
  const { text, exit } = await here.leave({ plan, allowedPrompts });
  expect(exit).toBe(0);
  expect(text).toContain("plan mode is off");
  expect(text).toContain("- Bash: run the tests");
  const { at, ...rest } = here.approved()!;
  expect(rest).toEqual({ plan, allowedPrompts });
  expect(Date.parse(at)).toBeGreaterThanOrEqual(before);
  expect(Date.parse(at)).toBeLessThanOrEqual(Date.now());
  // The user sees everything that they approve, and then the question.
  const { question, header } = here.asked()!;
  expect(question).toBe(
    `${plan}\n\nWhat it needs to be allowed:\n- Bash: run the tests\n\nLeave plan mode?`,
  );
  expect(header.length).toBeLessThanOrEqual(12);
  expect(await here.isOn()).toBe(false);
});

Deno.test("exit plan mode > a call without a plan asks only the question", async () => {
  using here = desk("Approve");
  await here.plan();
  const { text } = await here.leave({});
  expect(here.asked()!.question).toBe("Leave plan mode?");
  expect(here.approved()).toMatchObject({ plan: null, allowedPrompts: [] });
  expect(text).toBe("The user approved: plan mode is off, tools may change things again");
});

Deno.test("exit plan mode > a plan that is not approved changes nothing, and the user's answer is reported", async () => {
  const cases: [answer: string, said: string][] = [
    ["Keep planning", "The plan is not approved, plan mode goes on"],
    ["Leave out step 2", "plan mode goes on; the user said: Leave out step 2"],
  ];
  for (const [answer, said] of cases) {
    using here = desk(answer);
    await here.plan();
    const { text, exit } = await here.leave({ plan });
    expect(exit).toBe(1);
    expect(text).toContain(said);
    expect(here.approved()).toBeUndefined();
    expect(await here.isOn()).toBe(true);
  }
});

Deno.test("exit plan mode > the user is not asked outside of plan mode", async () => {
  using here = desk("Approve");
  const { text, exit } = await here.leave({ plan });
  expect(exit).toBe(1);
  expect(text).toContain("plan mode is not on");
  expect(here.asked()).toBeUndefined();
});

Deno.test("exit plan mode > the call fails, and does not hang, if no user can be asked", async () => {
  using directory = temporaryDirectory();
  const flags = [`--state-dir=${directory.path}`, "--session=one"];
  await call("Config", { setting: "plan_mode", value: true }, { flags });
  const { text, exit } = await call("ExitPlanMode", { plan }, { flags });
  expect(exit).toBe(8);
  expect(text).toContain("--ask=exec:PROGRAM");
});
