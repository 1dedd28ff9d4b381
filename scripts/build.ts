import { dirname, join } from "node:path";
import { ripgrepVersion, writeBuildFacts } from "./build_facts.ts";
import { type BuildSettings, BuildUsageError, readBuildSettings, USAGE } from "./build_settings.ts";
import { copyRipgrep, writeBundle } from "./bundle.ts";
import { writeCompiled } from "./compile.ts";
import { sourceState } from "./release/source_state.ts";
import { writeSelfExtracting } from "./self_extracting.ts";

/** Builds the executable. Returns a note about a missing part, or an empty string. */
async function build({ format, target, output }: BuildSettings): Promise<string> {
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
    if (format === "compile") {
      await writeCompiled({ directory, output, target });
    } else {
      await Deno.copyFile(Deno.execPath(), join(directory, "deno"));
      await writeSelfExtracting({ directory, output });
    }
    return note;
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

if (import.meta.main) {
  try {
    const start = performance.now();
    const settings = readBuildSettings(Deno.args);
    if (settings === undefined) {
      // deno-lint-ignore no-console
      console.log(USAGE);
      Deno.exit(0);
    }
    const note = await build(settings);
    const { output, format, reason } = settings;
    const { size } = await Deno.stat(output);
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    const megabytes = (size / 2 ** 20).toFixed(1);
    // deno-lint-ignore no-console
    console.log(`${output}: ${format} (${reason})${note}; ${megabytes} MiB in ${seconds} s`);
  } catch (error) {
    // deno-lint-ignore no-console
    console.error(error instanceof Error ? error.message : error);
    Deno.exit(error instanceof BuildUsageError ? 2 : 1);
  }
}
