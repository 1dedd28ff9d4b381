/** Attack S10 of docs/attacks.md: if a step of the sandbox fails, nothing is started. */
import { expect } from "@std/expect";
import {
  bash,
  grantsOf,
  isThere,
  makeWorld,
  Tally,
  testAs,
  type User,
  type World,
} from "./world.ts";

const [EPERM, EINVAL, ENOSYS] = [1, 22, 38];
const PR_SET_NO_NEW_PRIVS = 38;

/** The system calls that are refused, each with the message that the call must have. */
const STEPS: [refused: { call: string; errno: number; first?: number }, text: RegExp][] = [
  [{ call: "landlock_create_ruleset", errno: ENOSYS }, /this system has no Landlock/],
  [{ call: "landlock_create_ruleset", errno: EPERM }, /Landlock.*it is disabled/],
  [{ call: "landlock_add_rule", errno: EPERM }, /Landlock.*rule for/],
  [{ call: "landlock_restrict_self", errno: EPERM }, /Landlock.*restrict/],
  // The filter pretends that the system call succeeded.
  [{ call: "landlock_restrict_self", errno: 0 }, /Landlock.*signals still reach/],
  [{ call: "seccomp", errno: EPERM }, /seccomp/],
  [{ call: "seccomp", errno: EINVAL }, /seccomp/],
  [{ call: "prctl", errno: EPERM, first: PR_SET_NO_NEW_PRIVS }, /no-new-privileges/],
  [{ call: "capset", errno: EPERM }, /capabilities/],
  [{ call: "close_range", errno: ENOSYS }, /descriptors/],
  [{ call: "prlimit64", errno: EPERM }, /limits/],
];

/** The steps to try. A server cannot start any process of this program without `close_range`. */
const stepsFor = ({ server }: User) =>
  STEPS.filter(([{ call }]) => server === undefined || call !== "close_range");

function bashWithout(world: World, step: (typeof STEPS)[number][0], more: string[] = []) {
  const { deno, path } = world.installation;
  const marker = `${world.G}/marker`;
  if (isThere(marker)) Deno.removeSync(marker);
  const denoOptions = ["run", "-A", "--quiet", "--no-remote", "--cached-only", "--no-lock"];
  return bash(world, `echo ran >${marker}; echo ran`, {
    flags: grantsOf(world, [], more),
    launcher: [deno, ...denoOptions, "--no-config", `${path}/launch.js`, JSON.stringify(step)],
    env: { DENO_DIR: `${world.tmp}/deno`, DENO_NO_UPDATE_CHECK: "1" },
  });
}

testAs(
  "children > S10 a call starts nothing if a step of the sandbox fails, and names the step",
  async (t, user) => {
    const world = makeWorld(user);
    const tally = new Tally();
    const texts = new Map<string, string>();
    for (const [step, text] of stepsFor(user)) {
      const { call, errno } = step;
      const answer = await bashWithout(world, step);
      const isClosed = answer.exit === 8 &&
        answer._meta?.["toolcall/error"].code === "unavailable" &&
        !isThere(`${world.G}/marker`) && text.test(answer.text);
      tally.note(`${call} ${errno}`, isClosed, `exit ${answer.exit}: ${answer.text}`);
      // The message of a step does not depend on the kernel's reason.
      texts.set(call, answer.text);
    }
    await t.step("each step has its own message", () => {
      expect(new Set(texts.values()).size).toBe(texts.size);
    });
    await t.step("each message names the flag that turns the sandbox off", () => {
      const silent = [...texts].filter(([, text]) => !text.includes("--unconfined-run"));
      expect(silent).toEqual([]);
    });
    await tally.report(t, stepsFor(user).length);
  },
);

testAs(
  "children > S10 --unconfined-run starts programs where the sandbox cannot be entered",
  async (_t, user) => {
    const world = makeWorld(user);
    for (const [step] of stepsFor(user)) {
      const { exit, text } = await bashWithout(world, step, ["--unconfined-run"]);
      expect([step.call, exit, text]).toEqual([step.call, 0, "ran\n"]);
      expect(isThere(`${world.G}/marker`)).toBe(true);
    }
  },
);

testAs(
  "children > S10 the launcher of these tests does not change a call by itself",
  async (_t, user) => {
    const world = makeWorld(user);
    // No step of the sandbox makes this system call.
    const { exit, text } = await bashWithout(world, {
      call: "prctl",
      errno: EPERM,
      first: 0x7fffffff,
    });
    expect([exit, text]).toEqual([0, "ran\n"]);
  },
);
