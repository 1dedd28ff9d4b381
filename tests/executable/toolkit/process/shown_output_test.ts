/** Output of programs as models get it: as a terminal shows it in the end. */
import { expect } from "@std/expect";
import { call, temporaryDirectory } from "../../../support/executable.ts";
import { until } from "../../../support/wait.ts";

/** Prints colors, a progress bar and line ends of Windows. */
const PRINT =
  "printf '\\033[31mred\\033[0m\\n'; for i in 1 2 3; do printf 'step %s\\r' $i; done; " +
  "printf 'done\\033[K\\na\\r\\n'";
const SHOWN = "red\ndone\na\n";

Deno.test("shown output > a model gets each line of a program as it was when it ended, without control sequences", async () => {
  using directory = temporaryDirectory();
  const { path } = directory;
  const flags = ["-A", `--state-dir=${path}/state`];
  const run = (name: string, args: Record<string, unknown>) =>
    call(name, args, { flags, cwd: path });
  expect((await run("Bash", { command: PRINT })).text).toBe(SHOWN);
  expect((await run("Bash", { command: PRINT, session: "s" })).text).toBe(SHOWN);
  expect((await run("Bash", { command: `${PRINT}; exit 3` })).text).toBe(`${SHOWN}Exit code 3`);
  // The file has the output as it was.
  const returns = "head -c 2000000 /dev/zero | tr '\\0' '\\r'; echo end; exit 3";
  const long = await run("Bash", { command: returns });
  expect(long.text).toBe("end\nExit code 3");
  const { outputFile } = long._meta!["toolcall/error"] as unknown as { outputFile: string };
  expect(Deno.statSync(outputFile).size).toBe(2_000_004);

  const command = `${PRINT}; read -r < <(sleep 600)`;
  const started = await run("Bash", { command, run_in_background: true });
  const [task_id] = /task_[0-9a-f]+/.exec(started.text)!;
  const seen = async () => (await run("TaskOutput", { task_id, block: false })).text;
  expect(await until(async () => (await seen()).endsWith(`\n${SHOWN}`))).toBe(true);
  await run("TaskStop", { task_id });
});
