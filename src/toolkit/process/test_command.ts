import { parse } from "jsonc-parser";
import { CallError } from "../../base/errors.ts";
import { isObject } from "../../base/json/is_object.ts";
import { quote } from "../../base/text/quote.ts";
import { tryReadText } from "../../base/fs/system_file.ts";

/** The command that runs a project's tests. */
interface TestCommand {
  runner: "deno" | "node" | "cargo" | "go" | "python" | "make";
  /** The command, in bash's language. */
  command: string;
  /** The file that names the command. */
  because: string;
}

/** Returns the text of a file in the project's directory, or `undefined`. */
type ReadFile = (name: string) => string | undefined;

/** Reads the files of a project's directory. */
export function projectFiles(directory: string): ReadFile {
  return (name) => tryReadText(`${directory}/${name}`);
}

/** Each runner's command, in the order in which they are preferred. */
const FINDERS: readonly ((read: ReadFile) => TestCommand | undefined)[] = [
  (read) => {
    const files = ["deno.json", "deno.jsonc"];
    const plain = found(read, { runner: "deno", command: "deno test", files });
    const hasTask = plain && memberAt(read(plain.because), ["tasks", "test"]);
    return hasTask ? { ...plain, command: "deno task test" } : plain;
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
 * The commands that the files of a project's directory name for its tests, the preferred one first.
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

/** The command, if the project has one of the files. */
function found(
  read: ReadFile,
  { files, ...command }: Omit<TestCommand, "because"> & { files: readonly string[] },
): TestCommand | undefined {
  const because = files.find((name) => read(name) !== undefined);
  return because === undefined ? undefined : { ...command, because };
}

/** The value at a path of names in a JSON text, which may have comments. */
function memberAt(text: string | undefined, path: readonly string[]): unknown {
  return path.reduce(
    (value, name) => isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined,
    text === undefined ? undefined : parse(text),
  );
}

/** The lines in which common test runners name a failed test, without colours. */
const FAILED: readonly RegExp[] = [
  /^(.+?) \.\.\. FAILED\b/,
  /^\s*--- FAIL: (\S+)/,
  /^FAILED (\S+?(?:::.*?)?)(?: - .*)?$/,
  /^(?:FAIL|ERROR): (\S+ \(.+\))$/,
  /^\s*not ok \d+ (?:- )?(.+?)(?: # .*)?$/,
  /^\s*✖ (.+?)(?: \([\d.]+m?s\))?$/,
  /^\s*● (.+)$/,
  /^ ?(?:FAIL|×) +(\S.*)$/,
  /^\s+\d+\) (\S.*?):?$/,
];

/** Headings that look like the name of a test. */
const HEADING = /^failing tests:?$|^Test suite failed to run$|^Console$/i;

/** The largest number of names, and the longest line that is parsed, in characters. */
const [MAX_NAMES, MAX_LINE] = [50, 2_000];

/** Collects the names of failed tests from the output of a test runner, in bounded memory. */
export class FailingTests {
  #decoder = new TextDecoder();
  #rest = "";
  #names = new Set<string>();
  #more = 0;

  /** Takes the next bytes of the output. */
  add(chunk: Uint8Array): void {
    const lines = (this.#rest + this.#decoder.decode(chunk, { stream: true })).split("\n");
    this.#rest = lines.pop()!.slice(0, MAX_LINE);
    for (const line of lines) this.#look(line);
  }

  /** Ends the output. Returns the names, at most 50, and how many more there were. */
  end(): { names: string[]; more: number } {
    this.#look(this.#rest);
    return { names: [...this.#names], more: this.#more };
  }

  #look(given: string): void {
    if (given.length > MAX_LINE) return;
    // deno-lint-ignore no-control-regex
    const line = given.replace(/\x1b\[[\d;]*m/g, "").trimEnd();
    for (const pattern of FAILED) {
      const name = pattern.exec(line)?.[1]?.replace(/^test /, "");
      if (name === undefined || HEADING.test(name)) continue;
      if (this.#names.size < MAX_NAMES) this.#names.add(name);
      else if (!this.#names.has(name)) this.#more++;
      return;
    }
  }
}
