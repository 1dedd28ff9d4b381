/** The examples of tools run with a copy of a directory and with a web server. */
import { cpSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { temporaryDirectory } from "./temporary_directory.ts";

/**
 * A copy of the fixtures that can be written, since tools change what they work on; for a tool that
 * needs git, a repository.
 */
export function fixtures({ requires = [] }: { requires?: readonly string[] } = {}) {
  const directory = temporaryDirectory();
  copyToWrite(fileURLToPath(new URL("../fixtures/tree/", import.meta.url)), directory.path);
  if (requires.includes("git")) makeRepository(directory.path);
  return directory;
}

/**
 * Copies files and directories. Those of a checkout may be read-only; the copies can be written.
 */
export function copyToWrite(from: string, to: string): void {
  cpSync(from, to, { recursive: true });
  const { success } = new Deno.Command("chmod", { args: ["-R", "u+w", to] }).outputSync();
  if (!success) throw new Error(`Cannot make the copy ${to} writable`);
}

/** A repository with one commit, and a change of src that is not committed. */
function makeRepository(directory: string): void {
  const commands = [
    ...["git init -q", "git config user.name A", "git config user.email a@example.com"],
    ...["git add .", "git commit -q -m First", "echo >> src/math.ts"],
  ];
  const run = new Deno.Command("sh", { args: ["-ec", commands.join("\n")], cwd: directory });
  if (!run.outputSync().success) throw new Error("Cannot make a repository of the fixtures");
}

/** A server of `tests/fixtures/site`, where an example's input says `$SERVER`. */
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
