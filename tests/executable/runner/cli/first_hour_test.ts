/** Command lines of a user's first hour: each with its exit code and the first line printed. */
import { expect } from "@std/expect";
import { executable, temporaryDirectory } from "../../../support/executable.ts";

const READ_CALL = `'{"name":"fs.read","arguments":{"path":"a.txt"}}'`;

/** A command line for a shell, its exit code, and a part of the first line of its output. */
const LINES: readonly [command: string, code: number, says: string | RegExp][] = [
  ["toolcall", 3, "the input is empty"],
  ["toolcall --help", 0, "toolcall runs a model's tool call"],
  ["toolcall -h", 0, "toolcall runs a model's tool call"],
  ["toolcall help", 0, "toolcall runs a model's tool call"],
  ["toolcall help list", 0, "toolcall list: "],
  ["toolcall list --help", 0, "toolcall list: "],
  ["toolcall help permissions", 0, "Permissions"],
  ["toolcall help formats", 0, "Formats of --format"],
  ["toolcall help exit-codes", 0, "Exit codes"],
  ["toolcall help all", 0, "toolcall runs a model's tool call"],
  ["toolcall help fs.read", 0, "fs.read: "],
  ["toolcall fs.read --help", 0, "fs.read: "],
  ["toolcall help lsit", 2, "toolcall help list"],
  ["toolcall help nonsense", 2, "nonsense"],
  ["toolcall help --man", 0, ".TH TOOLCALL 1"],
  ["toolcall mcp install --help", 0, "toolcall mcp: "],
  ["toolcall version", 0, /^toolcall \d+\.\d+\.\d+$/],
  ["toolcall --version", 0, /^toolcall \d+\.\d+\.\d+$/],
  ["toolcall lst", 4, '\\"toolcall list\\"'],
  ["toolcall ls", 4, '\\"toolcall list\\"'],
  ["toolcall tools", 4, '\\"toolcall list\\"'],
  ["toolcall ui --help", 0, "toolcall ui: "],
  ["toolcall iu", 4, /Unknown tool \\"iu\\"; did you mean \\"toolcall ui\\"/],
  ["toolcall init", 4, /Unknown tool \\"init\\"; see \\"toolcall list\\"/],
  ["toolcall audit", 2, "toolcall audit FILE"],
  ["toolcall mcp instal cursor", 2, '"install"'],
  ["toolcall read_file", 4, '\\"Read\\"'],
  ["toolcall readfile", 4, '\\"Read\\"'],
  ["toolcall shell", 4, '\\"Bash\\"'],
  ["toolcall write_file", 4, '\\"Write\\"'],
  ["toolcall -R FS.READ path=a.txt", 0, "Hello"],
  [`echo '{"name":"FS.READ","arguments":{"path":"a.txt"}}' | toolcall -R`, 4, '\\"fs.read\\"'],
  ["toolcall fs.read a.txt", 6, "--allow-read="],
  ["toolcall -R fs.read a.txt", 0, "Hello"],
  ["toolcall -R fs.read path=a.txt", 0, "Hello"],
  [`toolcall -R fs.read path:='"a.txt"'`, 0, "Hello"],
  ["toolcall -R fs.read @args.json", 0, "Hello"],
  ["toolcall fs.read @args.json", 6, "args.json"],
  ['echo \'{"path":"a.txt"}\' | toolcall -R fs.read -', 0, "Hello"],
  ['echo \'{"path":"a.txt"}\' | toolcall -R fs.read', 0, "Hello"],
  ["toolcall -R fs.read path=@a.txt", 1, "@a.txt"],
  ["toolcall -R fs.read path=a.txt path=b.txt", 2, '"path" is given twice'],
  ["toolcall -R fs.read pth=a.txt", 5, '\\"path\\"'],
  [`toolcall -R . fs.read '{"path":"a.txt"}'`, 2, "write -R=. (or --allow-read=.)"],
  [`toolcall -R fs.read '{"path":1}'`, 5, "/path"],
  ["toolcall call fs.read path=a.txt", 3, '{\\"path\\":\\"hello.txt\\"}'],
  [`toolcall call fs.read '{"path":"a.txt"}' -R`, 0, "Hello"],
  [`echo ${READ_CALL} | toolcall -R`, 0, "Hello"],
  ["echo x | toolcall", 3, "not JSON"],
  [`echo '{"name":"fs.reed","arguments":{}}' | toolcall`, 4, '\\"fs.read\\"'],
  [`echo '{"name":"fs.read","parameters":{"path":"a.txt"}}' | toolcall -R`, 0, "Hello"],
  ["toolcall check Bash command=ls", 6, '"granted":false'],
  ["toolcall check --allow-run=bash Bash command=ls", 0, '"granted":true'],
  ["toolcall list --search=feed", 0, "NAME"],
  ["toolcall list --category=mycat", 2, "mycat"],
  ["toolcall list --format=yaml", 2, "yaml"],
  ["toolcall describe fs.reed", 2, '"fs.read"'],
  ["toolcall describe", 2, "toolcall describe NAME"],
  ["toolcall bundles", 0, "BUNDLE"],
  ["toolcall config", 2, "config check"],
  ["toolcall config chekc", 2, '"check"'],
  ["toolcall config get tools", 1, "/tools"],
  ["toolcall tasks stop nosuch", 1, "nosuch"],
  ["toolcall mcp install claude", 2, "claude-code"],
  ["toolcall mcp install nosuch", 2, "cursor"],
  ["toolcall --alow-read fs.read path=a.txt", 2, '"--allow-read"'],
  ["toolcall --ask=foo AskUserQuestion '{}'", 2, "exec:PROGRAM"],
  ["toolcall --allow-net=foo/bar WebFetch url=https://example.com", 2, "10.0.0.0/8"],
  ["toolcall -A --limit=files=10 Bash command=true", 2, "--limit"],
  ["toolcall --format=xml fs.read path=a.txt", 2, "xml"],
  ["toolcall -P=nosuch fs.read path=a.txt", 2, "nosuch"],
  ["toolcall completions tcsh", 2, "bash, zsh, fish"],
  ["toolcall audit nosuch.jsonl", 1, "nosuch.jsonl"],
];

Deno.test("first hour > the table has at least sixty command lines", () => {
  expect(LINES.length).toBeGreaterThanOrEqual(60);
});

Deno.test("first hour > each command line has its exit code and its first line of output", async () => {
  using directory = temporaryDirectory();
  const project = `${directory.path}/project`;
  Deno.mkdirSync(`${directory.path}/bin`);
  Deno.mkdirSync(project);
  Deno.symlinkSync(executable, `${directory.path}/bin/toolcall`);
  Deno.writeTextFileSync(`${project}/a.txt`, "Hello\n");
  Deno.writeTextFileSync(`${project}/args.json`, '{"path":"a.txt"}');
  const env = {
    HOME: directory.path,
    PATH: `${directory.path}/bin:${Deno.env.get("PATH")}`,
    TOOLCALL_CACHE_DIR: `${Deno.env.get("HOME")}/.cache/toolcall`,
  };
  for (const [command, code, says] of LINES) {
    const ended = await new Deno.Command("sh", {
      ...{ args: ["-c", command], cwd: project, env, stdin: "null" },
    }).output();
    const [first = ""] = new TextDecoder().decode(
      ended.stdout.length > 0 ? ended.stdout : ended.stderr,
    ).split("\n");
    expect({ command, code: ended.code, first }).toEqual({ command, code, first });
    const isSaid = typeof says === "string" ? first.includes(says) : says.test(first);
    expect({ command, first, isSaid }).toEqual({ command, first, isSaid: true });
  }
});
