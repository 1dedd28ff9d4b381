/** The commands and programs on the pages work. */
import { expect } from "@std/expect";
import { has } from "../support/programs.ts";
import { blocks, commandsIn, pages, SLOW_PAGES, testCommands, world, WRONG } from "./pages.ts";

for (const page of pages) {
  if (!SLOW_PAGES.includes(page)) testCommands(page);
}

/** The commands that a page shows with their output at a terminal. The project is in `/app`. */
function transcripts(page: string): { command: string; shown: string[] }[] {
  return blocks(page, "console").flatMap((block) =>
    block.split(/^\$ /m).slice(1).map((each) => {
      const [command, ...shown] = each.trimEnd().split("\n");
      return { command: command!.replace(/ {2,}#.*$/, ""), shown };
    })
  );
}

Deno.test({
  name: "pages > the output that a page shows is printed at a terminal",
  ignore: !has("script"),
  fn: async () => {
    const all = pages.flatMap((page) => transcripts(page).map((each) => ({ page, ...each })));
    expect(all.filter(({ shown }) => shown.length > 0).length).toBeGreaterThanOrEqual(2);
    for (const { page, command, shown } of all) {
      using here = world();
      const line = `stty cols 200; ${command}`;
      const { code, stdout } = await here.run(["script", "-qec", line, "/dev/null"], {
        NO_COLOR: "1",
      });
      const lines = stdout.replaceAll("\r", "").replaceAll(here.project, "/app")
        // The page shows an arbitrary commit.
        .replaceAll(/\b[0-9a-f]{40}(-changed)?\b/g, "0123456789abcdef0123456789abcdef01234567")
        .split("\n");
      expect({ page, command, isWrong: WRONG.includes(code) })
        .toEqual({ page, command, isWrong: false });
      expect({ page, command, lines: lines.slice(0, shown.length) })
        .toEqual({ page, command, lines: shown });
    }
  },
});

Deno.test("pages > more than thirty commands are tested", () => {
  expect(pages.flatMap(commandsIn).length).toBeGreaterThan(30);
});

Deno.test("pages > the example of docs/submit.md is answered", async () => {
  using here = world();
  const [lines] = blocks("docs/submit.md", "json");
  Deno.writeTextFileSync(`${here.project}/calls.ndjson`, lines!);
  const command = blocks("docs/submit.md", "sh")[0]!.trim();
  expect(await here.run(["sh", "-c", command])).toEqual({ code: 0, stdout: "", stderr: "" });
  const results = Deno.readTextFileSync(`${here.project}/results.ndjson`).trim().split("\n")
    .map((line) => JSON.parse(line));
  expect(new Set(results.map(({ id }) => id))).toEqual(new Set([1, "second", "third"]));
  expect(results.find(({ id }) => id === "second").content[0].text).toBe("Hello\n");
});
