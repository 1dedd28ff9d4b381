/** Measures how MCP clients from npm work with `toolcall mcp`. `docs/interop.md` shows the table. */
import { fileURLToPath } from "node:url";
import { parseArgs } from "@std/cli/parse-args";
import { makeRunDirectory } from "./bench/cache_directory.ts";
import { Missing } from "./bench/rows.ts";
import { clients } from "./interop/clients.ts";
import { measureClients } from "./interop/measure.ts";
import { interopTable, writeInteropPage } from "./interop/page.ts";

const HELP = `Usage: deno task interop [--client=NAME,…] [--libraries] [--write]

Measures MCP clients from npm with dist/toolcall, which "deno task build" writes. Where a cell fails,
the same is measured with the reference server. A run takes about ten minutes, and the first one
also downloads the clients. The exit code is 1 if a cell fails only with toolcall.

  --client     measure these clients only: ${clients.map(({ name }) => name).join(", ")}
  --libraries  leave out the agents, whose downloads are large: three minutes
  --write      write the table into docs/interop.md`;

const options = parseArgs(Deno.args, {
  string: ["client"],
  boolean: ["write", "libraries", "help"],
  alias: { help: "h" },
  unknown: (arg) => fail(`Unknown argument "${arg}"\n\n${HELP}`),
});
if (options.help) {
  say(HELP);
  Deno.exit(0);
}
const names: string[] = options.client?.split(",") ??
  clients.filter(({ isAgent }) => !isAgent || !options.libraries).map(({ name }) => name);
const unknown = names.find((name) => !clients.some((client) => client.name === name));
if (unknown !== undefined) fail(`Unknown client "${unknown}"\n\n${HELP}`);

const executable = fileURLToPath(new URL("../dist/toolcall", import.meta.url));
const version = await versionOf(executable);
const directory = makeRunDirectory();
try {
  const chosen = clients.filter(({ name }) => names.includes(name));
  const report = (line: string) => Deno.stderr.writeSync(new TextEncoder().encode(`${line}\n`));
  const rows = await measureClients(chosen, { executable, directory, report });
  const day = new Date().toISOString().slice(0, 10);
  const table = interopTable(rows, { day, version });
  say(table);
  if (options.write) await writeInteropPage(table);
  for (const { client, cells } of rows) {
    if (cells instanceof Missing) report(`Not measured: ${client.title}: ${cells.message}`);
    else if (Object.values(cells).some(({ colour }) => colour === "red")) Deno.exitCode = 1;
  }
} finally {
  Deno.removeSync(directory, { recursive: true });
}

async function versionOf(program: string): Promise<string> {
  try {
    const { stdout } = await new Deno.Command(program, { args: ["--version"] }).output();
    return new TextDecoder().decode(stdout).trim();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    fail('dist/toolcall is missing. Build it: "deno task build"');
  }
}

function say(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}

function fail(message: string): never {
  Deno.stderr.writeSync(new TextEncoder().encode(`${message}\n`));
  Deno.exit(2);
}
