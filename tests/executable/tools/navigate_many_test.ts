/** A search of code in two thousand files. */
// tier: machine
import { expect } from "@std/expect";
import { repository, run } from "./navigate_runs.ts";

Deno.test("navigate > results of 2,000 files are sorted and paged, and the search can be cancelled", async () => {
  const name = (at: number) => `m${String(at).padStart(4, "0")}`;
  using directory = repository(Array.from({ length: 2000 }, (_, at) => [
    `src/${at % 20}/${name(at)}.py`,
    `def ${at % 4 === 0 ? "shared" : name(at)}():\n    return ${name((at + 1) % 2000)}()\n`,
  ]));
  const { path: cwd } = directory;
  const whole = await run(cwd, { action: "definitions", name: "shared", head_limit: 1000 });
  const lines = whole.split("\n");
  expect(lines.length).toBe(500);
  expect(lines).toEqual([...lines].sort());
  expect(lines[0]).toBe("src/0/m0000.py:1: function shared – def shared():");
  const page = await run(cwd, {
    action: "definitions",
    name: "shared",
    offset: 490,
    head_limit: 5,
  });
  expect(page).toBe(
    `${
      lines.slice(490, 495).join("\n")
    }\n\n[Showing lines 491 to 495 of 500; for more set offset to 495]`,
  );
  expect(await run(cwd, { action: "references", name: "m0007", path: "src" }))
    .toBe(
      "src/6/m0006.py:2: call m0007 in m0006 – return m0007()\n\n[Not among them: 1 definition; action definitions]",
    );
  const stop = new AbortController();
  const every = { action: "definitions", name: "shared", head_limit: 1000 } as const;
  const stopped = run(cwd, every, stop.signal);
  stop.abort();
  await expect(stopped).rejects.toThrow(
    /^Cannot finish the search for definitions of "shared" in "\.": the call was cancelled/,
  );
});
