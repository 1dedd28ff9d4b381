/** Each call is answered with its id, whatever its values are: the ids in equal the ids out. */
import { expect } from "@std/expect";
import { oneLine, type Result, temporaryDirectory, toolcall } from "../../../support/executable.ts";
import {
  callsWith,
  duplicateArguments,
  idDialects,
  idsIn,
  idTexts,
  inexactArguments,
  LARGE,
  type TextCall,
} from "./call_ids.ts";

/** The groups of calls that a dialect gets in one message. */
function messagesOf(isSingle: boolean, names: boolean): TextCall[][] {
  const good = "{}";
  const ids = callsWith(idTexts.map(() => good), { names });
  const all = [
    callsWith(inexactArguments, { names }),
    ids,
    // A duplicate key refuses each call of its message.
    ...duplicateArguments.map((args) => callsWith([args, good], { names })),
  ];
  return isSingle ? all.flat().map((call) => [call]) : all;
}

for (const { name, write, idKey, isSingle = false } of idDialects) {
  const messages = messagesOf(isSingle, name.includes("where the name"));

  Deno.test(`call ids > ${name}: a call answers each id, as it was written`, async () => {
    using directory = temporaryDirectory();
    for (const calls of messages) {
      const run = await toolcall(["-A", "--format=same"], {
        stdin: write(calls),
        cwd: directory.path,
      });
      expect({ calls, ids: idsIn(run.stdout, idKey) })
        .toEqual({ calls, ids: calls.map(({ id }) => id) });
    }
  });

  Deno.test(`call ids > ${name}: submit answers each id, as it was written`, async () => {
    using directory = temporaryDirectory();
    const lines = messages.map((calls, place) => `{"id":"L${place}","call":${write(calls)}}\n`);
    const flags = ["submit", "-A", "--ordered", "--format=same"];
    const run = await toolcall(flags, { stdin: lines.join(""), cwd: directory.path });
    const printed = run.stdout.trimEnd().split("\n");
    const ids = printed.flatMap((line) => idsIn(line.replace(/^\{"id":"L\d+"/, ""), idKey));
    expect(ids).toEqual(messages.flat().map(({ id }) => id));
    const owners = printed.map((line) => /^\{"id":"(L\d+)"/.exec(line)![1]);
    expect(owners).toEqual(messages.flatMap((calls, place) => calls.map(() => `L${place}`)));
  });
}

Deno.test("call ids > submit gives back the id of a line as it was written", async () => {
  const ids = idTexts.filter((id) => id !== '"a"');
  const lines = ids.flatMap((id) => [
    `{"id":${id},"name":"TaskGet","arguments":{"taskId":${LARGE}}}\n`,
    `{"id":${id},"call":{"name":"TaskGet","arguments":{"taskId":"\\ud800"}}}\n`,
    `{"id":${id},"name":"TaskGet","arguments":{"taskId":"1","taskId":"2"}}\n`,
  ]);
  using directory = temporaryDirectory();
  const flags = ["submit", "-A", "--ordered", `--state-dir=${directory.path}`];
  const { stdout } = await toolcall(flags, { stdin: lines.join("") });
  const printed = stdout.trimEnd().split("\n").map((line) =>
    /^\{"id":("[^"]*"|[^,]*)/.exec(line)![1]
  );
  expect(printed).toEqual(ids.flatMap((id) => [id, id, id]));
});

Deno.test("call ids > an inexact number becomes a string where the schema wants one", async () => {
  using directory = temporaryDirectory();
  const stdin = `{"name":"TaskGet","arguments":{"taskId":${LARGE}}}`;
  const flags = ["-A", `--state-dir=${directory.path}`];
  const found = await toolcall(flags, { stdin });
  expect(found.code).toBe(1);
  expect(found.stdout).toContain(`item \\"${LARGE}\\"`);
  expect(oneLine(found)).toMatchObject({
    _meta: { "toolcall/repaired": [{ path: "/taskId", rule: "string", from: LARGE }] },
  });
  expect((await toolcall([...flags, "--strict"], { stdin })).code).toBe(5);
});

Deno.test("call ids > other inexact values are problems of their argument, beside the others", async () => {
  const stdin = `{"name":"Read","arguments":{"file_path":"\\ud800","offset":${LARGE},"limit":"x"}}`;
  const run = await toolcall(["-A"], { stdin });
  expect(run.code).toBe(5);
  const { problems } = (oneLine(run) as Result)._meta!["toolcall/error"];
  expect((problems as { path: string }[]).map(({ path }) => path).sort())
    .toEqual(["/file_path", "/limit", "/offset"]);
});

const DUPLICATES: [name: string, stdin: string, path: string, flags?: string[]][] = [
  ["the name", '{"name":"fs.list","name":"Bash","arguments":{}}', "/name"],
  ["the arguments", '{"name":"fs.list","arguments":{},"arguments":{}}', "/arguments"],
  ["an argument", '{"name":"fs.list","arguments":{"path":".","path":"/"}}', "/arguments/path"],
  ["a key inside of a list", '[{"name":"a","args":{"b":[1,{"c":1,"c":2}]}}]', "/0/args/b/1/c"],
  ["an escaped key", '{"name":"fs.list","arguments":{"a":1,"\\u0061":2}}', "/arguments/a"],
  [
    "a key in the text of the arguments",
    JSON.stringify({ name: "fs.list", arguments: '{"path":".","path":"/"}' }),
    "/path",
  ],
  [
    "a key in the text of a model",
    '<tool_call>{"name":"fs.list","arguments":{"path":".","path":"/"}}</tool_call>',
    "/arguments/path",
    ["--parse=auto"],
  ],
  [
    "a parameter in the text of a model",
    "<function=fs.list><parameter=path>.</parameter><parameter=path>/</parameter></function>",
    "/arguments/path",
    ["--parse=auto"],
  ],
  ["a keyword in the notation of Python", '[fs.list(path=".", path="/")]', "/path", [
    "--parse=pythonic",
  ]],
  ["a key of a repaired text", "{'name':'fs.list','arguments':{'a':1,'a':2}}", "/arguments/a", [
    "--repair-json",
  ]],
];

for (const [name, stdin, path, flags = []] of DUPLICATES) {
  Deno.test(`duplicate keys > ${name} twice is refused with its path`, async () => {
    const run = await toolcall(["-A", ...flags], { stdin });
    expect({
      code: run.code,
      stdout: run.stdout.includes(JSON.stringify(`"${path}" twice`).slice(1, -1)),
    })
      .toEqual({ code: 3, stdout: true });
  });
}
