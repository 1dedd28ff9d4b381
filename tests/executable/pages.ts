/** The blocks and the commands of the pages, and the place where they run. */
import { fileURLToPath } from "node:url";
import { expect } from "@std/expect";
import { filesBelow } from "../../scripts/files_below.ts";
import { executable, temporaryDirectory } from "../support/executable.ts";
import { killWhenStuck } from "../support/wait.ts";
import { trustFile } from "../support/trust.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The pages, as paths in the repository. */
export const pages = ["README.md", ...filesBelow("docs").filter((path) => path.endsWith(".md"))];

/** Pages whose commands unpack the program again, or compile a tool. */
export const SLOW_PAGES = ["docs/install.md", "docs/tools.md"];

/** The fenced blocks of one language in a page. */
export function blocks(page: string, language: string): string[] {
  const text = Deno.readTextFileSync(`${root}${page}`);
  const found = text.matchAll(new RegExp("^```" + language + "\n([^]*?)^```", "gm"));
  return [...found].map(([, code]) => code!);
}

/** A home directory with a project, and a PATH with the executable. */
export function world() {
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
  trustFile(`${project}/toolcall.json`);
  const start = (command: readonly string[], env: Record<string, string> = {}) =>
    new Deno.Command(command[0]!, {
      args: command.slice(1),
      cwd: project,
      env: {
        HOME: directory.path,
        PATH: `${directory.path}/bin:${Deno.env.get("PATH")}`,
        TOOLCALL_CACHE_DIR: `${Deno.env.get("HOME")}/.cache/toolcall`,
        ...env,
      },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
  return {
    project,
    start,
    async run(command: readonly string[], env: Record<string, string> = {}) {
      const { code, stdout, stderr } = await start(command, env).output();
      const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
      return { code, stdout: decode(stdout), stderr: decode(stderr) };
    },
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

/** Commands that need something this test does not have: a placeholder, a server, a client's file. */
const SKIPPED =
  /[…<]|\b(ID|NAME|FILE|PATH)\b|--write|--http|config edit|logs|mcp uninstall|mcp remove|mcp__browser__|\.example\./;

/** A command that serves until it is interrupted, and what it prints first. */
const SERVER = { command: /^toolcall ui\b/, begun: /the page is at http:/ };

/** The command lines of `toolcall` in the shell blocks of a page. */
export function commandsIn(page: string): string[] {
  return blocks(page, "sh").flatMap((block) => block.replaceAll("\\\n", " ").split("\n"))
    .map((line) => line.replace(/ +#.*$/, "").trim())
    .filter((line) => line.startsWith("toolcall ") && !SKIPPED.test(line));
}

/** The exit codes of a command line that is wrong, or a call that is malformed or invalid. */
export const WRONG = [2, 3, 4, 5, 70];

/** Adds the test of the commands of a page, if it has any. */
export function testCommands(page: string): void {
  const commands = commandsIn(page);
  if (commands.length === 0) return;
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
