/** Signals that end a Write at many moments. */
// tier: machine
import { expect } from "@std/expect";
import { attempts } from "../support/attempts.ts";
import { executable, type Result, temporaryDirectory } from "../support/executable.ts";
import { nextTurn } from "../support/wait.ts";

Deno.test("limits > a signal in the middle of a Write gives a result and leaves no temporary file", async () => {
  const counts = { written: 0, cancelled: 0, early: 0 };
  using directory = temporaryDirectory();
  const call = JSON.stringify({
    name: "Write",
    arguments: { file_path: `${directory.path}/f`, content: "x".repeat(20_000_000) },
  });
  for (let round = 0; round < attempts(120); round++) {
    const flags = round % 2 === 0 ? ["-A"] : [`--allow-write=${directory.path}`];
    const child = new Deno.Command(executable, {
      args: flags,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(call));
    await writer.close();
    const isTemporary = () =>
      [...Deno.readDirSync(directory.path)].some(({ name }) => name !== "f");
    let isOver = false;
    child.status.then(() => isOver = true);
    while (!isOver && !isTemporary()) await nextTurn();
    try {
      child.kill("SIGTERM");
    } catch {
      // The call had ended before the signal.
    }
    const { code, stdout } = await child.output();
    // A signal that comes before the call was read ends the program without a result.
    if (code === 143) counts.early++;
    else {
      const result = JSON.parse(new TextDecoder().decode(stdout)) as Result;
      expect([0, 7]).toContain(code);
      counts[result.isError ? "cancelled" : "written"]++;
    }
    expect(isTemporary()).toBe(false);
  }
  expect(counts.written + counts.cancelled).toBeGreaterThan(0);
});
