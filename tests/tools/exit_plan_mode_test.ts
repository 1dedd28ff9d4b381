import { expect } from "@std/expect";
import { openAsker } from "../../src/ask/asker.ts";
import type { Question } from "../../src/registry/services.ts";
import type { Serve } from "../../src/sandbox/job.ts";
import tool from "../../tools/exit_plan_mode.ts";
import { temporaryFolder } from "../executable.ts";
import { contextFor } from "../tool_context.ts";

const plan = "1. Rename `a` to `b`\n2. Run the tests";
const allowedPrompts = [{ tool: "Bash", prompt: "run the tests" }];

/** Runs the tool with a program that gives every question the same answer, and tells what it did. */
async function leave(
  args: Record<string, unknown>,
  { answer, planMode = true }: { answer: string; planMode?: boolean },
) {
  using folder = temporaryFolder();
  const path = `${folder.path}/ask.ts`;
  const script = `#!${Deno.execPath()} run -A
    const text = await new Response(Deno.stdin.readable).text();
    Deno.writeTextFileSync(import.meta.filename + ".asked", text);
    const answers = JSON.parse(text).questions.map(({ question }) => [question, ${
    JSON.stringify(answer)
  }]);
    console.log(JSON.stringify({ answers: Object.fromEntries(answers) }));`;
  // The kernel takes such a line as one argument, env splits it.
  Deno.writeTextFileSync(path, script.replace("#!", "#!/usr/bin/env -S "), { mode: 0o755 });
  const screen = { isTerminal: () => false, write: () => Promise.reject(new Error("no screen")) };
  const asker = openAsker({ program: path, screen, env: Deno.env.toObject() });
  const did: [service: string, args: unknown[]][] = [];
  const { signal } = new AbortController();
  const serve: Serve = async (service, args) => {
    if (service === "settings.values") return { plan_mode: planMode };
    if (service === "ask") return await asker.ask(args[0] as Question[], signal);
    return void did.push([service, args]);
  };
  let text = "";
  let error: Error | undefined;
  try {
    text = String(await tool.run(args, contextFor(folder.path, { serve })));
  } catch (thrown) {
    error = thrown as Error;
  }
  await asker.close();
  const asked = readIfAny(`${path}.asked`);
  const question: Question | undefined = asked === undefined
    ? undefined
    : JSON.parse(asked).questions[0];
  return { text, error, did, asked: question };
}

function readIfAny(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return undefined;
  }
}

Deno.test("exit plan mode > what the person approves is kept, and then plan mode is off", async () => {
  const { text, did, asked } = await leave({ plan, allowedPrompts }, { answer: "Approve" });
  expect(did.map(([service]) => service)).toEqual(["store.set", "settings.set"]);
  const [key, approved] = did[0]![1] as [string, { at: string }];
  const { at, ...rest } = approved;
  expect({ key, rest }).toEqual({ key: "approved", rest: { plan, allowedPrompts } });
  expect(Math.abs(Date.parse(at) - Date.now())).toBeLessThan(60_000);
  expect(did[1]![1]).toEqual(["plan_mode", false]);
  expect(text).toContain("plan mode is off");
  expect(text).toContain("- Bash: run the tests");
  // The person is shown all that they approve, and the question last.
  expect(asked!.question).toBe(
    `${plan}\n\nWhat it needs to be allowed:\n- Bash: run the tests\n\nLeave plan mode?`,
  );
  expect(asked!.header.length).toBeLessThanOrEqual(12);
});

Deno.test("exit plan mode > without a plan the question is asked alone", async () => {
  const { text, did, asked } = await leave({}, { answer: "Approve" });
  expect(asked!.question).toBe("Leave plan mode?");
  expect(did[0]![1][1]).toMatchObject({ plan: null, allowedPrompts: [] });
  expect(text).toBe("The person approved: plan mode is off, tools may change things again");
});

Deno.test("exit plan mode > what is not approved changes nothing, and the person's words are told", async () => {
  const kept = await leave({ plan }, { answer: "Keep planning" });
  expect(kept.error!.message).toBe("The plan is not approved, plan mode goes on");
  expect(kept.did).toEqual([]);
  const words = await leave({ plan }, { answer: "Leave out step 2" });
  expect(words.error!.message).toContain("plan mode goes on; the person said: Leave out step 2");
  expect(words.error!.cause).toEqual({ planMode: true, said: "Leave out step 2" });
  expect(words.did).toEqual([]);
});

Deno.test("exit plan mode > outside plan mode nobody is asked", async () => {
  const { error, did, asked } = await leave({ plan }, { answer: "Approve", planMode: false });
  expect(error!.message).toContain("plan mode is not on");
  expect({ did, asked }).toEqual({ did: [], asked: undefined });
});
