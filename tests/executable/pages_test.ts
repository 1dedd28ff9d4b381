/** The commands and programs on the pages work. */
import { fileURLToPath } from "node:url";
import { expect } from "@std/expect";
import { filesBelow } from "../../scripts/files_below.ts";
import { executable, temporaryDirectory } from "../support/executable.ts";
import { modelServer } from "../support/model_server.ts";
import { has } from "../support/programs.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const pages = ["README.md", ...filesBelow("docs").filter((path) => path.endsWith(".md"))];
const textOf = (page: string) => Deno.readTextFileSync(`${root}${page}`);

/** The fenced blocks of one language in a page. */
function blocks(page: string, language: string): string[] {
  const found = textOf(page).matchAll(new RegExp("^```" + language + "\n([^]*?)^```", "gm"));
  return [...found].map(([, code]) => code!);
}

/** Commands that need something this test does not have: a placeholder, a server, a client's file. */
const SKIPPED =
  /[…<]|\b(ID|NAME|FILE|PATH)\b|--write|--http|config edit|logs|mcp uninstall|mcp remove|mcp__browser__|\.example\./;

/** A command that serves until it is interrupted, and its exit code then. */
const SERVER = { command: /^toolcall ui\b/, seconds: 5, ended: 124 };

/** The command lines of `toolcall` in the shell blocks of a page. */
function commandsIn(page: string): string[] {
  return blocks(page, "sh").flatMap((block) => block.replaceAll("\\\n", " ").split("\n"))
    .map((line) => line.replace(/ +#.*$/, "").trim())
    .filter((line) => line.startsWith("toolcall ") && !SKIPPED.test(line));
}

/** A home directory with a project, and a PATH with the executable. */
function world() {
  const directory = temporaryDirectory();
  const project = `${directory.path}/project`;
  Deno.mkdirSync(`${project}/src`, { recursive: true });
  Deno.mkdirSync(`${directory.path}/bin`);
  Deno.symlinkSync(executable, `${directory.path}/bin/toolcall`);
  Deno.writeTextFileSync(`${project}/README.md`, "# Project\nThe licence is MIT.\n");
  Deno.writeTextFileSync(`${project}/hello.txt`, "Hello\n");
  Deno.writeTextFileSync(
    `${project}/toolcall.json`,
    JSON.stringify({ permissions: { default: { read: ["."], run: ["bash", "git"] } } }),
  );
  return {
    project,
    async run(command: readonly string[], env: Record<string, string> = {}) {
      const { code, stdout, stderr } = await new Deno.Command(command[0]!, {
        args: command.slice(1),
        cwd: project,
        env: {
          HOME: directory.path,
          PATH: `${directory.path}/bin:${Deno.env.get("PATH")}`,
          TOOLCALL_CACHE_DIR: `${Deno.env.get("HOME")}/.cache/toolcall`,
          ...env,
        },
        stdin: "null",
      }).output();
      const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
      return { code, stdout: decode(stdout), stderr: decode(stderr) };
    },
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
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
      const isServer = SERVER.command.test(command);
      const limit = isServer ? ["timeout", `${SERVER.seconds}`] : [];
      const { code, stdout, stderr } = await here.run([...limit, "sh", "-c", command], { ...env });
      const isWrong = WRONG.includes(code) || isServer && code !== SERVER.ended;
      if (isWrong) failures.push({ command, code, stdout, stderr });
    }
    expect(failures).toEqual([]);
  });
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

Deno.test({
  name: "pages > the agent loop of docs/recipes.md calls a tool and prints the answer",
  ignore: !has("python3"),
  fn: async () => {
    const call = { name: "fs_read", arguments: '{"path":"README.md"}' };
    const message = {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "call_1", type: "function", function: call }],
    };
    const answer = (message: unknown) => () => Response.json({ choices: [{ message }] });
    await using server = modelServer(
      answer(message),
      ({ body }) =>
        answer({ role: "assistant", content: `It says: ${body.messages[2]?.content}` })(),
    );
    using here = world();
    const [loop] = blocks("docs/recipes.md", "python");
    Deno.writeTextFileSync(`${here.project}/loop.py`, loop!);
    const { code, stdout, stderr } = await here.run(["python3", "loop.py"], {
      MODEL: "served",
      API_URL: server.endpoint,
    });
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("The licence is MIT");
    expect(server.asked[0]?.body.tools?.length).toBeGreaterThan(3);
  },
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
