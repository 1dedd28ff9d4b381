/** The blocks of the pages, and the place where their commands run. */
import { fileURLToPath } from "node:url";
import { executable, temporaryDirectory } from "../support/executable.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

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
