import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "@std/cli/parse-args";
import { ripgrepVersion, writeBuildFacts } from "./build_facts.ts";
import { copyRipgrep, writeBundle } from "./bundle.ts";
import { writeCompiled } from "./compile.ts";
import { sourceState } from "./release/source_state.ts";
import { writeSelfExtracting } from "./self_extracting.ts";

const USAGE =
  `Usage: deno task build [--format=compile|self-extracting] [--target=TRIPLE] [--output=FILE]

  --format   compile: one file that needs nothing, made by "deno compile";
             self-extracting: unpacks itself at its first start (Linux, macOS).
             Without it: compile where its runtime can be had, else self-extracting
  --target   with --format=compile: the platform to build for, as "deno compile" names it
  --output   default: dist/toolcall`;

interface Settings {
  format: "compile" | "self-extracting" | undefined;
  target: string | undefined;
  output: string;
}

/** A command line that the script does not understand. */
class UsageError extends Error {}

function readSettings(args: string[]): Settings {
  const flags = ["format", "target", "output"];
  const parsed = parseArgs(args, {
    string: flags,
    boolean: ["help"],
    alias: { help: "h" },
    unknown(arg: string) {
      throw new UsageError(`Unknown argument "${arg}"\n${USAGE}`);
    },
  });
  if (parsed.help) {
    // deno-lint-ignore no-console
    console.log(USAGE);
    Deno.exit(0);
  }
  const { format, target, output } = parsed;
  for (const name of flags) {
    if (parsed[name] === "") throw new UsageError(`"--${name}" needs a value\n${USAGE}`);
  }
  if (format !== undefined && format !== "compile" && format !== "self-extracting") {
    throw new UsageError(`Unknown format "${format}"; use "compile" or "self-extracting"`);
  }
  if (target !== undefined && format === "self-extracting") {
    throw new UsageError(
      `Cannot build for "${target}": a self-extracting executable holds the deno that builds it; ` +
        `use --format=compile, build on that platform, or use "deno task release"`,
    );
  }
  const root = fileURLToPath(new URL("..", import.meta.url));
  return { format, target, output: output ? resolve(output) : join(root, "dist", "toolcall") };
}

/** Builds the executable, and returns its format, with a note if a part is missing. */
async function build({ format, target, output }: Settings): Promise<string> {
  const directory = await Deno.makeTempDir({ prefix: "toolcall-build-" });
  try {
    await writeBundle(directory);
    await Deno.mkdir(dirname(output), { recursive: true });
    const missing = target === undefined || target === Deno.build.target
      ? await copyRipgrep(directory)
      : `it is installed for ${Deno.build.target}, and not for ${target}`;
    const { commit } = await sourceState();
    const ripgrep = missing === undefined ? await ripgrepVersion() : "missing";
    await writeBuildFacts(directory, { commit, ripgrep });
    const note = missing === undefined
      ? ""
      : `, without ripgrep (Grep, Glob and search fail): ${missing}`;
    if (format !== "self-extracting") {
      try {
        await writeCompiled({ directory, output, target });
        return `compile${note}`;
      } catch (error) {
        if (format === "compile" || target !== undefined) throw error;
      }
    }
    await Deno.copyFile(Deno.execPath(), join(directory, "deno"));
    await writeSelfExtracting({ directory, output });
    return `self-extracting${note}`;
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

if (import.meta.main) {
  try {
    const start = performance.now();
    const settings = readSettings(Deno.args);
    const format = await build(settings);
    const { size } = await Deno.stat(settings.output);
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    // deno-lint-ignore no-console
    console.log(
      `${settings.output}: ${format}; ${(size / 2 ** 20).toFixed(1)} MiB in ${seconds} s`,
    );
  } catch (error) {
    // deno-lint-ignore no-console
    console.error(error instanceof Error ? error.message : error);
    Deno.exit(error instanceof UsageError ? 2 : 1);
  }
}
