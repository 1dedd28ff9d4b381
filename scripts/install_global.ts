/**
 * Installs the program of this checkout with `deno install -g`. Deno copies the given configuration
 * to another directory, so this one names the packages of `links` by their absolute paths.
 */
import { fileURLToPath } from "node:url";

const HELP = `Usage: deno task install [--root=DIRECTORY]

Installs the command "toolcall", which runs the sources of this checkout, with deno install -g.
DIRECTORY/bin gets the command (default: as for deno install).`;

const root = fileURLToPath(new URL("../", import.meta.url));

if (Deno.args.includes("--help") || Deno.args.includes("-h")) {
  Deno.stdout.writeSync(new TextEncoder().encode(`${HELP}\n`));
  Deno.exit(0);
}
const { imports, links, unstable, nodeModulesDir } = JSON.parse(
  Deno.readTextFileSync(`${root}deno.json`),
);
const absolute = (links ?? []).map((link: string) => `${root}${link.replace(/^\.\//, "")}`);
const directory = Deno.makeTempDirSync({ prefix: "toolcall-install-" });
try {
  const config = `${directory}/deno.json`;
  Deno.writeTextFileSync(
    config,
    JSON.stringify({ imports, links: absolute, unstable, nodeModulesDir }),
  );
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["install", "--global", "--allow-all", "--force", "--name=toolcall"],
      ...[`--config=${config}`, ...Deno.args, `${root}main.ts`],
    ],
  }).spawn().status;
  Deno.exitCode = code;
} finally {
  Deno.removeSync(directory, { recursive: true });
}
