/** The clients for other languages, each with the interpreter or compiler of its language. */
// tier: machine
import { expect } from "@std/expect";
import { fileURLToPath } from "node:url";
import { executable, temporaryDirectory } from "../../support/executable.ts";
import { has } from "../../support/programs.ts";

const clients = fileURLToPath(new URL("../../../clients/", import.meta.url));

/** The output of each program: a good call, a refused one, and three calls of one session. */
const EXPECTED = "Hello|false|permission_denied|Hello|true|Hello";

const PYTHON = `
import sys
sys.path.insert(0, ${JSON.stringify(clients)})
sys.dont_write_bytecode = True
from toolcall import Session, call
how = {"executable": sys.argv[1], "cwd": sys.argv[2]}
flags = ["--allow-read=" + sys.argv[2]]
file = {"path": "hello.txt"}
good = call("fs.read", file, flags=flags, **how)
refused = call("fs.read", file, **how)
with Session(flags=flags, **how) as session:
    both = [session.call("fs.read", file), session.call("fs.read", {})]
    last = session.call("fs.read", file)
print("|".join([good.text.strip(), str(good.is_error).lower(), refused.error_code,
    both[0].text.strip(), str(both[1].is_error).lower(), last.text.strip()]))
`;

const NODE = `
import { call, Session, textOf } from ${JSON.stringify(`${clients}toolcall.mjs`)};
const [executable, cwd] = process.argv.slice(2);
const flags = ["--allow-read=" + cwd];
const file = { path: "hello.txt" };
const good = await call("fs.read", file, { flags, executable, cwd });
const refused = await call("fs.read", file, { executable, cwd });
const session = new Session({ flags, executable, cwd });
const both = await Promise.all([session.call("fs.read", file), session.call("fs.read", {})]);
const last = await session.call("fs.read", file);
await session.close();
console.log([textOf(good).trim(), good.isError, refused._meta["toolcall/error"].code,
  textOf(both[0]).trim(), both[1].isError, textOf(last).trim()].join("|"));
`;

const GO = `package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"example.test/client/toolcall"
)

func must(result *toolcall.Result, err error) *toolcall.Result {
	if err != nil {
		panic(err)
	}
	return result
}

func main() {
	options := toolcall.Options{Executable: os.Args[1], Dir: os.Args[2]}
	file := map[string]any{"path": "hello.txt"}
	refused := must(toolcall.Call("fs.read", file, options))
	var failure struct{ Code string }
	if err := json.Unmarshal(refused.Meta["toolcall/error"], &failure); err != nil {
		panic(err)
	}
	options.Flags = []string{"--allow-read=" + os.Args[2]}
	good := must(toolcall.Call("fs.read", file, options))
	session, err := toolcall.Start(options)
	if err != nil {
		panic(err)
	}
	first := must(session.Call("fs.read", file))
	second := must(session.Call("fs.read", map[string]any{}))
	last := must(session.Call("fs.read", file))
	if err := session.Close(); err != nil {
		panic(err)
	}
	trim := func(result *toolcall.Result) string { return strings.TrimSpace(result.Text()) }
	fmt.Println(strings.Join([]string{trim(good), fmt.Sprint(good.IsError), failure.Code,
		trim(first), fmt.Sprint(second.IsError), trim(last)}, "|"))
}
`;

/** Runs a program in a new directory, where \`hello.txt\` is. */
async function run(
  files: Readonly<Record<string, string>>,
  command: readonly [string, ...string[]],
): Promise<string> {
  using directory = temporaryDirectory();
  const { path } = directory;
  Deno.writeTextFileSync(`${path}/hello.txt`, "Hello\n");
  Deno.mkdirSync(`${path}/toolcall`);
  for (const [name, text] of Object.entries(files)) Deno.writeTextFileSync(`${path}/${name}`, text);
  const [program, ...args] = command;
  const { stdout, stderr, success } = await new Deno.Command(program, {
    args: [...args, executable, path],
    cwd: path,
    env: { GOFLAGS: "-mod=mod", GOPROXY: "off" },
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout).trim();
}

Deno.test({
  name: "clients > the Python client runs single calls and a session",
  ignore: !has("python3"),
  fn: async () => expect(await run({ "a.py": PYTHON }, ["python3", "a.py"])).toBe(EXPECTED),
});

Deno.test({
  name: "clients > the Node.js client runs single calls and a session",
  ignore: !has("node"),
  fn: async () => expect(await run({ "a.mjs": NODE }, ["node", "a.mjs"])).toBe(EXPECTED),
});

Deno.test({
  name: "clients > the Go client runs single calls and a session",
  ignore: !has("go"),
  fn: async () => {
    const files = {
      "go.mod": "module example.test/client\n\ngo 1.18\n",
      "main.go": GO,
      "toolcall/toolcall.go": Deno.readTextFileSync(`${clients}toolcall.go`),
    };
    expect(await run(files, ["go", "run", "."])).toBe(EXPECTED);
  },
});
