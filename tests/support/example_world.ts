/** The directory and the web server with which the examples of tools run. */
import { cpSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { temporaryDirectory } from "./temporary_directory.ts";

/**
 * Makes a copy of the fixtures that tools can change. For a tool that needs git, the copy is a
 * repository.
 */
export function fixtures({ requires = [] }: { requires?: readonly string[] } = {}) {
  const directory = temporaryDirectory();
  copyToWrite(fileURLToPath(new URL("../fixtures/tree/", import.meta.url)), directory.path);
  if (requires.includes("git")) makeRepository(directory.path);
  return directory;
}

/** Copies files and directories. The files of a checkout may be read-only, but the copies are not. */
export function copyToWrite(from: string, to: string): void {
  cpSync(from, to, { recursive: true });
  const { success } = new Deno.Command("chmod", { args: ["-R", "u+w", to] }).outputSync();
  if (!success) throw new Error(`Cannot make the copy ${to} writable`);
}

/** Makes a repository with one commit, and a change of src that is not committed. */
function makeRepository(directory: string): void {
  const commands = [
    ...["git init -q", "git config user.name A", "git config user.email a@example.com"],
    ...["git add .", "git commit -q -m First", "echo >> src/math.ts"],
  ];
  const run = new Deno.Command("sh", { args: ["-ec", commands.join("\n")], cwd: directory });
  if (!run.outputSync().success) throw new Error("Cannot make a repository of the fixtures");
}

/** Starts a server of `tests/fixtures/site`. The input of an example names it as `$SERVER`. */
export function startSite() {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async ({ url }) => {
    const { pathname } = new URL(url);
    const type = pathname.endsWith(".html") ? "text/html" : "application/json";
    try {
      const body = await Deno.readFile(new URL(`../fixtures/site${pathname}`, import.meta.url));
      return new Response(body, { headers: { "content-type": type } });
    } catch {
      return new Response("There is no such page", { status: 404 });
    }
  });
  return {
    host: `127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
