/** The audit log with many processes at once, of which some are killed, and behind bubblewrap. */
// tier: machine
import { expect } from "@std/expect";
import { call, executable } from "../../../support/executable.ts";
import { pause } from "../../../support/wait.ts";
import { brief, type Line, world } from "./audit_world.ts";

Deno.test("audit > no line of forty concurrent processes is torn or lost while others are killed", async () => {
  using it = world();
  const script = `for at in 1 2 3; do "$@" -A "nope_$at" "$ARGS" > "$OUT/$PART-$at"; done`;
  const text = "äbc ".repeat(1_000);
  const ARGS = JSON.stringify(
    Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`t${at}`, text])),
  );
  const start = (part: string) =>
    new Deno.Command("bash", {
      args: ["-c", script, "bash", executable, ...it.flags, `--session=${part}`],
      env: { ARGS, OUT: it.directory, PART: part },
      detached: true,
    }).spawn();
  const victims = Array.from({ length: 6 }, async (_, at) => {
    const child = start(`victim${at}`);
    let hasEnded = false;
    const ended = child.status.finally(() => hasEnded = true);
    await pause(300 + at * 300, "The moment of the kill is random");
    if (!hasEnded) Deno.kill(-child.pid, "SIGKILL");
    await ended;
  });
  await Promise.all(Array.from({ length: 40 }, (_, at) => start(`part${at}`).status));
  await Promise.all(victims);
  // Every line is whole, also each line of a killed process.
  const lines = Deno.readTextFileSync(it.log).split("\n").slice(0, -1);
  const records = lines.flatMap((line): Line[] => {
    expect(line).toMatch(/^\{"time":"[\x20-\x7e]*\}$/);
    return [JSON.parse(line)];
  });
  const whole = records.filter(({ session }) => session.startsWith("part"));
  const marks = whole.map(({ session, asked }) => `${session} ${asked}`);
  expect({ all: marks.length, different: new Set(marks).size })
    .toEqual({ all: 120, different: 120 });
  expect(records.length).toBeGreaterThanOrEqual(120);
  // A process writes the line of a call before it answers the call.
  const answered = [...Deno.readDirSync(it.directory)].filter(({ name }) =>
    name.startsWith("victim") && Deno.statSync(`${it.directory}/${name}`).size > 0
  );
  const logged = records.map(({ session, asked }) => `${session}-${asked?.slice(-1)}`);
  expect(answered.filter(({ name }) => !logged.includes(name))).toEqual([]);
});

Deno.test({
  name: "audit > a call under --wall=bwrap has one line",
  ignore: !(await bubblewrapWorks()),
  fn: async () => {
    using it = world();
    const flags = [...it.flags, "--wall=bwrap", "-R", "--allow-run"];
    const { isError } = await call("Bash", { command: "echo a" }, { flags, cwd: it.directory });
    expect(isError).toBe(false);
    expect(it.lines().map(brief)).toEqual([["Bash", null, null, null]]);
  },
});

async function bubblewrapWorks(): Promise<boolean> {
  try {
    const args = ["--ro-bind", "/", "/", "--dev-bind", "/dev", "/dev", "true"];
    return (await new Deno.Command("bwrap", { args }).output()).success;
  } catch {
    return false;
  }
}
