/** Runs the test runner in a process. */
import { temporaryDirectory } from "../../../support/temporary_directory.ts";

/** The root of the checkout. */
export const root = new URL("../../../../", import.meta.url);

/** Runs a script of the checkout, and returns its exit code and what it printed. */
export async function deno(...args: string[]): Promise<{ code: number; text: string }> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", ...args],
    cwd: root,
    env: { NO_COLOR: "1" },
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return { code, text: decoder.decode(stdout) + decoder.decode(stderr) };
}

/** Runs the given test files, in a process, and returns what it printed, without paths and times. */
export async function runTests(files: Record<string, string>, options: object): Promise<string> {
  using directory = temporaryDirectory();
  const paths = Object.keys(files).map((name) => `${directory.path}/${name}`);
  for (const [at, text] of Object.values(files).entries()) {
    Deno.writeTextFileSync(paths[at]!, text);
  }
  const script = `${directory.path}/run.ts`;
  Deno.writeTextFileSync(
    script,
    `import { runFiles } from ${JSON.stringify(`${root}scripts/testing/run_files.ts`)};
console.log(JSON.stringify(await runFiles(${JSON.stringify(paths)}, ${JSON.stringify(options)})));`,
  );
  const { text } = await deno(script);
  return text.replaceAll(directory.path, "").replaceAll(/\(\d+\.\d s\)/g, "(0 s)");
}
