/** The program for a platform: an executable, or the files and launchers for Windows. */
import { join } from "node:path";
import { RUNTIME_FLAGS, writeSelfExtracting } from "../self_extracting.ts";
import { copyRipgrep } from "../bundle.ts";
import { type BuildFacts, writeBuildFacts } from "../build_facts.ts";
import type { PackageFile } from "./archive.ts";
import { downloadPackage } from "./download.ts";
import { importedVersion } from "./lock_file.ts";
import { ownTarget, type Target } from "./targets.ts";

/** The inputs of a program that is built for a platform. */
export interface ProgramSources {
  /** The directory of the bundle, which is not changed. */
  bundle: string;
  /** A directory for temporary files. */
  work: string;
  /** The version of the runtime for other platforms than this one. */
  runtime: string;
  /** The facts that `toolcall --version --verbose` prints. */
  facts: BuildFacts;
}

/**
 * Makes the program for a target. Its own platform takes the runtime that runs this script, others
 * take npm's package.
 *
 * @throws {MissingPackageError} if npm does not have the runtime or ripgrep for the target.
 */
export async function programFiles(
  target: Target,
  { bundle, work, runtime, facts }: ProgramSources,
): Promise<PackageFile[]> {
  const directory = await Deno.makeTempDir({ dir: work });
  for (const { name } of Deno.readDirSync(bundle)) {
    await Deno.copyFile(join(bundle, name), join(directory, name));
  }
  const isWindows = target.head === "launchers";
  const suffix = isWindows ? ".exe" : "";
  if (target === ownTarget()) {
    const missing = await copyRipgrep(directory);
    if (missing !== undefined) throw new Error(`Cannot copy ripgrep: ${missing}`);
    await Deno.copyFile(Deno.execPath(), join(directory, "deno"));
  } else {
    const version = importedVersion("@vscode/ripgrep");
    const packages = await Promise.all([
      downloadPackage({ name: target.runtime, version: runtime, directory: work }),
      downloadPackage({ name: target.ripgrep, version, directory: work }),
    ]);
    await Deno.copyFile(join(packages[0], `deno${suffix}`), join(directory, `deno${suffix}`));
    await copyRipgrep(directory, join(packages[1], "bin", `rg${suffix}`));
  }
  await Deno.chmod(join(directory, `deno${suffix}`), 0o755);
  await writeBuildFacts(directory, facts);
  if (isWindows) {
    const files = [...Deno.readDirSync(directory)].map(({ name }) => ({
      name: `lib/${name}`,
      content: Deno.readFileSync(join(directory, name)),
    }));
    return [...windowsLaunchers(), ...files];
  }
  const output = join(work, `toolcall-${target.name}`);
  await writeSelfExtracting({ directory, output, head: target.head as "script" });
  return [{ name: "toolcall", content: await Deno.readFile(output), isExecutable: true }];
}

/** The launchers for Windows, for `cmd` and for PowerShell. They unpack nothing. */
export function windowsLaunchers(): PackageFile[] {
  const flags = RUNTIME_FLAGS.join(" ");
  const state = "%LOCALAPPDATA%\\toolcall\\deno";
  const cmd = [
    "@echo off",
    "setlocal",
    'set "TOOLCALL_ENV_HOME=%USERPROFILE%"',
    'set "TOOLCALL_EXECUTABLE=%~f0"',
    `set "DENO_DIR=${state}"`,
    'set "DENO_NO_UPDATE_CHECK=1"',
    `"%~dp0lib\\deno.exe" run ${flags} "%~dp0lib\\main.js" %*`,
    "",
  ].join("\r\n");
  const powerShell = [
    "$env:TOOLCALL_ENV_HOME = $env:USERPROFILE",
    "$env:TOOLCALL_EXECUTABLE = $PSCommandPath",
    '$env:DENO_DIR = "$env:LOCALAPPDATA\\toolcall\\deno"',
    '$env:DENO_NO_UPDATE_CHECK = "1"',
    `& "$PSScriptRoot\\lib\\deno.exe" run ${
      RUNTIME_FLAGS.map((flag) => `'${flag}'`).join(" ")
    } "$PSScriptRoot\\lib\\main.js" @args`,
    "exit $LASTEXITCODE",
    "",
  ].join("\r\n");
  return [
    { name: "toolcall.cmd", content: cmd },
    { name: "toolcall.ps1", content: powerShell },
  ];
}
