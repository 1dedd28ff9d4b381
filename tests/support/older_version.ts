/** Earlier versions of toolcall, which are bundled from the history of the repository. */
import { fileURLToPath } from "node:url";
import type { OtherProgram } from "./executable.ts";
import { temporaryDirectory } from "./temporary_directory.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Returns the reason why the sources of a commit are not available, or undefined. */
export function missingCommit(commit: string): string | undefined {
  try {
    const { success } = new Deno.Command("git", {
      ...{ args: ["cat-file", "-e", `${commit}^{commit}`], cwd: root, stderr: "null" },
    }).outputSync();
    return success ? undefined : `the history has no commit ${commit.slice(0, 8)}`;
  } catch {
    return "git is not installed";
  }
}

/** Bundles the program of a commit, which uses 15 s of processor time. */
export function bundleVersion(commit: string): OtherProgram & Disposable {
  const directory = temporaryDirectory();
  const { path } = directory;
  run("git", ["archive", `--output=${path}/sources.tar`, commit], root);
  run("tar", ["-xf", "sources.tar"], path);
  Deno.mkdirSync(`${path}/bundle`);
  Deno.writeTextFileSync(
    `${path}/bundle_only.ts`,
    'import { writeBundle } from "./scripts/bundle.ts"; await writeBundle(Deno.args[0]!);',
  );
  run(Deno.execPath(), ["run", "--allow-all", "--quiet", "bundle_only.ts", `${path}/bundle`], path);
  const options = "--allow-all --quiet --no-config --unstable-worker-options";
  // The variable is the path with which the program starts itself again.
  const start = `TOOLCALL_EXECUTABLE="$0" exec '${Deno.execPath()}' run ${options}`;
  const script = `#!/bin/sh\n${start} '${path}/bundle/main.js' "$@"\n`;
  Deno.writeTextFileSync(`${path}/toolcall`, script, { mode: 0o755 });
  return {
    command: `${path}/toolcall`,
    args: [],
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

function run(program: string, args: string[], cwd: string): void {
  const { success, stderr } = new Deno.Command(program, { args, cwd }).outputSync();
  if (!success) throw new Error(`${program}: ${new TextDecoder().decode(stderr)}`);
}
