import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "@std/cli/parse-args";

/** The help of the build. */
export const USAGE = `Usage: deno task build [--compile [--target=TRIPLE]] [--output=FILE]

Makes the self-extracting executable, which unpacks itself at its first start (Linux, macOS).
All tests test this one.

  --compile  Make an executable with "deno compile" instead. It unpacks nothing, and needs a runtime
             from a download or in DENORT_BIN. Its tests: deno task test:compile
  --target   With --compile: the platform to build for, as "deno compile" names it
  --output   Default: dist/toolcall`;

/** The kind of an executable. */
export type BuildFormat = "self-extracting" | "compile";

/** The settings of a build. */
export interface BuildSettings {
  /** The kind of the executable. */
  format: BuildFormat;
  /** Why it is of that kind. */
  reason: string;
  /** The platform, if it is not this one. */
  target: string | undefined;
  /** The path of the executable. */
  output: string;
}

/** A command line that the build does not understand. */
export class BuildUsageError extends Error {}

/**
 * The settings that a command line of the build has on an operating system, or `undefined` if it asks
 * for help. Throws {@link BuildUsageError}.
 */
export function readBuildSettings(
  args: string[],
  os: typeof Deno.build.os = Deno.build.os,
): BuildSettings | undefined {
  const flags = ["target", "output"];
  const parsed = parseArgs(args, {
    string: flags,
    boolean: ["help", "compile"],
    alias: { help: "h" },
    unknown(arg: string) {
      throw new BuildUsageError(`Unknown argument "${arg}"\n${USAGE}`);
    },
  });
  if (parsed.help) return undefined;
  const { compile, target, output } = parsed;
  for (const name of flags) {
    if (parsed[name] === "") throw new BuildUsageError(`"--${name}" needs a value\n${USAGE}`);
  }
  const isOnly = os === "windows";
  if (target !== undefined && !compile) {
    throw new BuildUsageError(
      `Cannot build for "${target}": a self-extracting executable holds the deno that builds it; ` +
        `use --compile, build on that platform, or use "deno task release"`,
    );
  }
  const root = fileURLToPath(new URL("..", import.meta.url));
  return {
    format: compile || isOnly ? "compile" : "self-extracting",
    reason: compile
      ? "--compile asks for it"
      : isOnly
      ? "Windows cannot run the self-extracting one"
      : 'the default; --compile makes one with "deno compile"',
    target,
    output: output ? resolve(output) : join(root, "dist", "toolcall"),
  };
}
