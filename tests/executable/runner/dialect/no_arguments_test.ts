/** `null`, an empty text and a missing key mean that a call has no arguments, in every form. */
import { expect } from "@std/expect";
import { temporaryDirectory, toolcall } from "../../../support/executable.ts";
import { Peer } from "../../../support/mcp/peer.ts";
import { idDialects } from "./call_ids.ts";

/** Arguments that mean none, as JSON texts. Without one, the key is missing. */
const EMPTY = ["null", '"null"', '""', '" "', undefined];

/** The key of the arguments of each dialect, in the messages of {@link idDialects}. */
const KEY = /,?"(?:arguments|input|args)":(null|"null")/;

/** A message with empty arguments. A dialect with a text of arguments has the same values. */
function messageWith(
  write: (typeof idDialects)[number]["write"],
  args: string | undefined,
  tool: string,
): string {
  const text = write([{ id: '"fs.list"', args: "null" }]).replaceAll("fs.list", tool);
  return text.replace(
    KEY,
    (whole, value: string) => args === undefined ? "" : whole.slice(0, -value.length) + args,
  );
}

for (const { name, write } of idDialects) {
  Deno.test(`no arguments > ${name}: null, an empty text and a missing key mean no arguments`, async () => {
    using directory = temporaryDirectory();
    for (const args of EMPTY) {
      const stdin = messageWith(write, args, "fs.list");
      const run = await toolcall(["-A"], { stdin, cwd: directory.path });
      expect({ stdin, code: run.code }).toEqual({ stdin, code: 0 });
      const needs = messageWith(write, args, "fs.read");
      const refused = await toolcall(["-A"], { stdin: needs, cwd: directory.path });
      expect({ needs, code: refused.code, isNamed: refused.stdout.includes("/path: required") })
        .toEqual({ needs, code: 5, isNamed: true });
    }
  });
}

Deno.test("no arguments > submit and a call with a name read them in the same way", async () => {
  using directory = temporaryDirectory();
  const options = { cwd: directory.path };
  const lines = EMPTY.map((args) =>
    `{"name":"fs.read"${args === undefined ? "" : `,"arguments":${args}`}}\n`
  );
  const { stdout } = await toolcall(["submit", "-A"], { ...options, stdin: lines.join("") });
  expect(stdout.match(/\/path: required/g)).toHaveLength(EMPTY.length);
  for (const args of ["null", "", " ", '"null"']) {
    const run = await toolcall(["call", "fs.list", args, "-A"], options);
    expect({ args, code: run.code }).toEqual({ args, code: 0 });
    const piped = await toolcall(["fs.list", "-A"], { ...options, stdin: args });
    expect({ args, code: piped.code }).toEqual({ args, code: 0 });
  }
});

Deno.test("no arguments > MCP reads them in the same way, and shows no dump of a checker", async () => {
  using directory = temporaryDirectory();
  await using peer = Peer.start(["-A", `--state-dir=${directory.path}/state`], {
    cwd: directory.path,
  });
  await peer.initialize();
  for (const args of EMPTY) {
    const given = args === undefined ? {} : { arguments: JSON.parse(args) };
    const listed = await peer.request("tools/call", { name: "fs.list", ...given });
    expect({ args, isError: listed.result?.isError }).toEqual({ args, isError: false });
    const { result } = await peer.request("tools/call", { name: "fs.read", ...given });
    expect(result.content[0]!.text).toContain("/path: required");
  }
  for (const wrong of [[], 7, "text", true]) {
    const { error } = await peer.request("tools/call", { name: "fs.list", arguments: wrong });
    expect(error).toMatchObject({ code: -32602, data: { code: "malformed_call" } });
    expect(error!.message).toContain("not an object");
    expect(error!.message).not.toContain('expected"');
  }
  const { error } = await peer.request("tools/call", { name: 7, arguments: {} });
  expect(error!.message).toContain('"name" is a number, not a string');
});
