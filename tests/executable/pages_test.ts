/** The commands and programs on the pages work. */
import { expect } from "@std/expect";
import { filesBelow } from "../../scripts/files_below.ts";
import { has } from "../support/programs.ts";
import { killWhenStuck } from "../support/wait.ts";
import { blocks, world } from "./pages.ts";

const pages = ["README.md", ...filesBelow("docs").filter((path) => path.endsWith(".md"))];

/** Commands that need something this test does not have: a placeholder, a server, a client's file. */
const SKIPPED =
  /[…<]|\b(ID|NAME|FILE|PATH)\b|--write|--http|config edit|logs|mcp uninstall|mcp remove|mcp__browser__|\.example\./;

/** A command that serves until it is interrupted, and what it prints first. */
const SERVER = { command: /^toolcall ui\b/, begun: /the page is at http:/ };

/** The command lines of `toolcall` in the shell blocks of a page. */
function commandsIn(page: string): string[] {
  return blocks(page, "sh").flatMap((block) => block.replaceAll("\\\n", " ").split("\n"))
    .map((line) => line.replace(/ +#.*$/, "").trim())
    .filter((line) => line.startsWith("toolcall ") && !SKIPPED.test(line));
}

/** The exit codes of a command line that is wrong, or a call that is malformed or invalid. */
const WRONG = [2, 3, 4, 5, 70];

for (const page of pages) {
  const commands = commandsIn(page);
  if (commands.length === 0) continue;
  Deno.test(`pages > the commands of ${page} are valid`, async () => {
    const failures: unknown[] = [];
    for (const command of commands) {
      using here = world();
      // Other tests run from the usual cache.
      const env = command.includes("cache clean") ? { TOOLCALL_CACHE_DIR: here.project } : {};
      if (SERVER.command.test(command)) {
        const printed = await serve(here.start(["sh", "-c", `exec ${command}`]));
        if (!SERVER.begun.test(printed)) failures.push({ command, printed });
        continue;
      }
      const { code, stdout, stderr } = await here.run(["sh", "-c", command], { ...env });
      if (WRONG.includes(code)) failures.push({ command, code, stdout, stderr });
    }
    expect(failures).toEqual([]);
  });
}

/** Ends a server after its first output, which is the result: what it printed on stderr. */
async function serve(server: Deno.ChildProcess): Promise<string> {
  using _ = killWhenStuck(server);
  let printed = "";
  for await (const text of server.stderr.pipeThrough(new TextDecoderStream())) {
    printed += text;
    if (!SERVER.begun.test(printed)) continue;
    server.kill();
    break;
  }
  await server.stdout.cancel();
  await server.status;
  return printed;
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
