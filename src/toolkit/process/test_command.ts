import { parse } from "jsonc-parser";
import { CallError } from "../../base/errors.ts";
import { isObject } from "../../base/json/is_object.ts";
import { quote } from "../../base/text/quote.ts";
import { readRegularText } from "../../base/fs/system_file.ts";

/** A program that can run a project's tests. */
export type TestRunner = "deno" | "node" | "cargo" | "go" | "python" | "make";

/** The command that runs a project's tests. */
export interface TestCommand {
  /** The program that runs them. */
  runner: TestRunner;
  /** The command, in bash's language. */
  command: string;
  /** The file that names the command. */
  because: string;
}

/** Returns the text of a file in the project's folder, or `undefined`. */
type ReadFile = (name: string) => string | undefined;

/** Each runner's command, in the order in which they are preferred. */
const FINDERS: readonly ((read: ReadFile) => TestCommand | undefined)[] = [
  (read) => {
    const because = ["deno.json", "deno.jsonc"].find((name) => read(name) !== undefined);
    if (because === undefined) return undefined;
    const command = memberAt(read(because), ["tasks", "test"]) ? "deno task test" : "deno test";
    return { runner: "deno", command, because };
  },
  (read) => {
    const because = "package.json";
    const text = read(because);
    const script = memberAt(text, ["scripts", "test"]);
    // npm writes this default script into new projects.
    if (script === undefined || /no test specified/.test(String(script))) return undefined;
    const [, command = "npm test"] = LOCK_FILES.find(([name]) => read(name) !== undefined) ?? [];
    return { runner: "node", command, because };
  },
  (read) => found(read, { runner: "cargo", command: "cargo test", files: ["Cargo.toml"] }),
  (read) => found(read, { runner: "go", command: "go test ./...", files: ["go.mod"] }),
  (read) =>
    found(read, {
      runner: "python",
      command: "python3 -m pytest",
      files: ["pyproject.toml", "pytest.ini", "tox.ini", "setup.cfg", "conftest.py", "setup.py"],
    }),
  (read) => {
    const because = ["GNUmakefile", "makefile", "Makefile"].find((name) =>
      /^(?:[^#\s:=][^#:=]*\s)?test(?:\s[^:=]*)?::?(?!=)/m.test(read(name) ?? "")
    );
    return because === undefined ? undefined : { runner: "make", command: "make test", because };
  },
];

const LOCK_FILES: readonly [name: string, command: string][] = [
  ["pnpm-lock.yaml", "pnpm test"],
  ["yarn.lock", "yarn test"],
  ["bun.lock", "bun run test"],
  ["bun.lockb", "bun run test"],
];

/** Bash's exit code for a program that it has not found. */
const NOT_FOUND = 127;

/**
 * The commands that the files of a project's folder name for its tests, the preferred one first.
 */
export function testCommands(read: ReadFile): TestCommand[] {
  return FINDERS.flatMap((find) => find(read) ?? []);
}

/**
 * The error for a command whose own program is not in PATH; it says how to get the program. `code`
 * is bash's exit code, and `output` everything that it printed. Returns `undefined` for any other
 * failure, also when the command did not find a program that it starts itself.
 */
export function missingRunner(
  { command, because }: TestCommand,
  { code, output }: { code: number; output: string },
): CallError | undefined {
  const program = command.split(" ")[0]!;
  // Bash writes its message in the language of the user.
  const isTold = /^\S*bash: .*$/.test(output) && output.includes(`: ${program}: `);
  if (code !== NOT_FOUND || !isTold) return undefined;
  return new CallError(
    "unavailable",
    `Cannot run ${quote(command)} (${because}): ${program} is not in PATH; ` +
      `install ${program}, or correct PATH`,
    { program },
  );
}

function found(
  read: ReadFile,
  { runner, command, files }: { runner: TestRunner; command: string; files: readonly string[] },
): TestCommand | undefined {
  const because = files.find((name) => read(name) !== undefined);
  return because === undefined ? undefined : { runner, command, because };
}

/** The value at a path of names in a JSON text, which may have comments. */
function memberAt(text: string | undefined, path: readonly string[]): unknown {
  let value: unknown = text === undefined ? undefined : parse(text);
  for (const name of path) {
    value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value;
}

/** The text of a file of a project; `undefined` if it is missing or unreadable. */
export function projectText(path: string): string | undefined {
  try {
    return readRegularText(path);
  } catch {
    return undefined;
  }
}
