// deno-lint-ignore-file no-console
/** Attack L5 of docs/attacks.md: files are replaced by named pipes before they are opened. */
// tier: machine
import { expect } from "@std/expect";
import { exitCodes } from "../../../src/runner/call/failure.ts";
import { executable, temporaryDirectory } from "../../support/executable.ts";
import { killWhenStuck } from "../../support/wait.ts";

const isLinux = Deno.build.os === "linux";
if (!isLinux) console.log("skipped: only Linux exchanges two names in one step");

/**
 * How many calls each tool makes while files are swapped. Read makes more, because the quickest calls
 * meet a swap most often.
 */
const CALLS = (tool: string) => tool === "Read" ? 40 : 8;

/** Exchanges each of the names with the pipe of that name, as often as the machine can. */
const swapping = `
const { symbols } = Deno.dlopen("libc.so.6", {
  renameat2: { parameters: ["i32", "buffer", "i32", "buffer", "u32"], result: "i32" },
});
const pairs = Deno.args.map((name) =>
  [name, name + ".pipe"].map((each) => new TextEncoder().encode(each + "\\0")));
// AT_FDCWD and RENAME_EXCHANGE
for (;;) for (const [file, pipe] of pairs) symbols.renameat2(-100, file, -100, pipe, 2);`;

/**
 * The tools that run ripgrep. It may open a file of the tree that has become a pipe a moment ago. Then
 * the time limit of the call ends it. At most half of the calls may end so.
 */
const SEARCHES = ["Glob", "Grep", "search"];

/** Runs a call and returns its exit code. Fails if the call hangs in spite of its time limit. */
async function exitCodeOf(name: string, args: object, directory: string): Promise<number> {
  const grants = [`--allow-read=${directory}`, `--allow-write=${directory}`, "--structured"];
  const child = new Deno.Command(executable, {
    args: [...grants, name, JSON.stringify(args)],
    cwd: directory,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  using _ = killWhenStuck(child);
  const { code, signal } = await child.status;
  expect({ name, args, signal }).toEqual({ name, args, signal: null });
  return code;
}

function makePipe(path: string): void {
  expect(new Deno.Command("mkfifo", { args: [path] }).outputSync().success).toBe(true);
}

const notebook = JSON.stringify({
  cells: [{ cell_type: "markdown", metadata: {}, source: "text" }],
  metadata: {},
  nbformat: 4,
  nbformat_minor: 4,
});
const files: Readonly<Record<string, string>> = {
  "a.txt": "text\n".repeat(10),
  "a.ipynb": notebook,
  "a.ics": "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n",
  "a.ts": "export const text = 1;\n",
  "a.md": "[text](a.txt)\n",
  ".gitignore": "x\n",
  ".ignore": "x\n",
};

/** The calls that open one of these files. */
const calls = (directory: string): [name: string, args: object][] => [
  ["Read", { file_path: `${directory}/a.txt` }],
  ["Read", { file_path: `${directory}/a.ipynb` }],
  ["fs.read", { path: "a.txt" }],
  ["file", { action: "read", path: "a.txt" }],
  ["Edit", { file_path: `${directory}/a.txt`, old_string: "no such text", new_string: "x" }],
  ["NotebookEdit", { notebook_path: `${directory}/a.ipynb`, cell_id: "none", new_source: "x" }],
  ["code_edit", { action: "delete", path: "a.txt", start_line: 90 }],
  ["calendar", { path: `${directory}/a.ics`, from: "2030-01-01", to: "2030-01-02" }],
  ["navigate", { action: "outline", path: "a.ts" }],
  ["static_links", { path: "." }],
  ["Glob", { pattern: "*.txt" }],
  ["search", { pattern: "text" }],
  ["Grep", { pattern: "text" }],
  ["Write", { file_path: `${directory}/a.txt`, content: "text\n" }],
];

function makeFiles(directory: string): void {
  for (const [name, text] of Object.entries(files)) {
    Deno.writeTextFileSync(`${directory}/${name}`, text);
    makePipe(`${directory}/${name}.pipe`);
  }
}

Deno.test({
  name: "L5 no call waits for a file that becomes a named pipe before it is opened",
  ignore: !isLinux,
  fn: async (t) => {
    using directory = temporaryDirectory();
    const path = directory.path;
    makeFiles(path);
    const swapper = new Deno.Command(Deno.execPath(), {
      args: ["run", "--ext=js", "-A", "-", ...Object.keys(files)],
      cwd: path,
      stdin: "piped",
      stdout: "null",
    }).spawn();
    const writer = swapper.stdin.getWriter();
    await writer.write(new TextEncoder().encode(swapping));
    await writer.close();
    for (const [name, args] of calls(path)) {
      await t.step(`${name} ${JSON.stringify(args).slice(0, 40)}`, async () => {
        const codes: number[] = [];
        const hung = () => codes.filter((code) => code === exitCodes.timeout).length;
        const maxHung = SEARCHES.includes(name) ? CALLS(name) / 2 : 0;
        const some = async () => {
          while (codes.length < CALLS(name) && hung() <= maxHung) {
            codes.push(await exitCodeOf(name, args, path));
          }
        };
        await Promise.all([some(), some()]);
        expect(hung()).toBeLessThanOrEqual(maxHung);
      });
    }
    swapper.kill();
    await swapper.status;
  },
});

Deno.test({
  name: "no call waits for a named pipe that replaces a file which the call reads",
  ignore: !isLinux,
  fn: async (t) => {
    for (const name of Object.keys(files)) {
      using directory = temporaryDirectory();
      const path = directory.path;
      makeFiles(path);
      for (const each of Object.keys(files)) Deno.removeSync(`${path}/${each}.pipe`);
      Deno.removeSync(`${path}/${name}`);
      makePipe(`${path}/${name}`);
      await t.step(name, async () => {
        const hung: string[] = [];
        for (const [tool, args] of calls(path)) {
          if (await exitCodeOf(tool, args, path) === exitCodes.timeout) hung.push(tool);
        }
        expect(hung).toEqual([]);
      });
    }
  },
});
