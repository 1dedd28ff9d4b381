import {
  Client,
  type ClientOptions,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect } from "@std/expect";
import { executable } from "../../support/executable.ts";
import { endlessSleep, processesWith } from "../../support/processes.ts";
import { until } from "../../support/wait.ts";
import { listen, Peer } from "../../support/mcp/peer.ts";
import { scene } from "./scenes.ts";

/** Connects the official client, by either transport. */
async function connect(
  how: "stdio" | "http",
  { flags, cwd, ...options }: { flags: string[]; cwd: string } & ClientOptions,
): Promise<{ client: Client } & AsyncDisposable> {
  const client = new Client({ name: "test", version: "1" }, options);
  if (how === "stdio") {
    const args = ["mcp", ...flags];
    await client.connect(new StdioClientTransport({ command: executable, args, cwd }));
    return { client, [Symbol.asyncDispose]: () => client.close() };
  }
  const server = await listen(flags, { cwd });
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
  return {
    client,
    async [Symbol.asyncDispose]() {
      await client.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

const questions = [
  {
    question: "Which colour?",
    header: "Colour",
    multiSelect: false,
    options: [{ label: "Red", description: "Warm" }, { label: "Blue", description: "Cold" }],
  },
  {
    question: "Which parts?",
    header: "Parts",
    multiSelect: true,
    options: [{ label: "Head", description: "Up" }, { label: "Tail", description: "Down" }],
  },
];

for (const how of ["stdio", "http"] as const) {
  for (const revision of ["2025-11-25", "2026-07-28"]) {
    Deno.test(`mcp server > the official client can use revision ${revision} over ${how}`, async (t) => {
      using it = scene();
      const mode = revision === "2026-07-28" ? { pin: revision } : "legacy";
      await using session = await connect(how, {
        flags: [...it.flags, "--all-tools"],
        cwd: it.inside,
        capabilities: { elicitation: { form: {} } },
        versionNegotiation: { mode },
      });
      const { client } = session;
      const call = async (name: string, args: Record<string, unknown>) =>
        await client.callTool({ name, arguments: args }) as {
          content: { text: string }[];
          isError?: boolean;
          structuredContent?: Record<string, unknown>;
          _meta?: Record<string, { code: string }>;
        };

      await t.step("the client negotiates the revision", () => {
        expect(client.getNegotiatedProtocolVersion()).toBe(revision);
        expect(client.getServerVersion()?.name).toBe("toolcall");
      });

      await t.step("the list of tools has annotations and output schemas", async () => {
        const { tools } = await client.listTools();
        const named = (name: string) => tools.find((tool) => tool.name === name);
        expect(named("Read")?.annotations?.readOnlyHint).toBe(true);
        expect(named("Bash")?.annotations?.destructiveHint).toBe(true);
        expect(named("Read")?.inputSchema.required).toEqual(["file_path"]);
        expect(named("TodoWrite")?.outputSchema?.["type"]).toBe("object");
      });

      await t.step("a call returns its result", async () => {
        const { content, isError } = await call("fs.read", { path: "file.txt" });
        expect([content[0]?.text, isError]).toEqual(["what is inside\n", false]);
      });

      await t.step("a call returns structured content", async () => {
        const todos = [{ content: "a", status: "pending", activeForm: "b" }];
        const { structuredContent } = await call("TodoWrite", { todos });
        expect(structuredContent).toMatchObject({ completed: 0, pending: 1 });
      });

      await t.step("a call that the flags do not allow returns an error result", async () => {
        const { content, isError, _meta } = await call("Read", {
          file_path: `${it.path}/secret.txt`,
        });
        expect(isError).toBe(true);
        expect(_meta?.["toolcall/error"]?.code).toBe("permission_denied");
        expect(content[0]?.text).toContain(`needs --allow-read=${it.path}/secret.txt`);
      });

      await t.step("an error result names each invalid argument", async () => {
        const { content, isError } = await call("Read", { offset: "x", nope: 1 });
        expect(isError).toBe(true);
        for (const part of ["/file_path", "/offset", "/nope"]) {
          expect(content[0]?.text).toContain(part);
        }
      });

      await t.step("an unknown tool is the error -32601", async () => {
        for (const name of ["Raed", "../x", "a;id", "__proto__", "constructor", "toString"]) {
          await expect(call(name, {})).rejects.toMatchObject({ code: -32601 });
        }
        await expect(call("x".repeat(10_000), {})).rejects.toMatchObject({ code: -32601 });
      });

      await t.step("the client asks the user", async () => {
        const asked: unknown[] = [];
        client.setRequestHandler("elicitation/create", ({ params }) => {
          asked.push(params);
          return { action: "accept", content: { choice_1: "Blue", choice_2: ["Head", "Tail"] } };
        });
        const { content } = await call("AskUserQuestion", { questions });
        expect(content[0]?.text).toContain("Question: Which colour?\nAnswer: Blue");
        expect(content[0]?.text).toContain("Question: Which parts?\nAnswer: Head, Tail");
        expect(asked).toHaveLength(1);
        expect(JSON.stringify(asked)).toContain("Red: Warm");
      });

      await t.step(
        "the user can answer freely, decline, dismiss the form or leave a question empty",
        async () => {
          const rows: [answer: object, says: string][] = [
            [{ action: "accept", content: { own_words_1: "Green", choice_2: ["Head"] } }, "Green"],
            [{ action: "decline" }, "declined to answer"],
            [{ action: "cancel" }, "dismissed"],
            [{ action: "accept", content: { choice_2: ["Head"] } }, "left the question"],
          ];
          for (const [answer, says] of rows) {
            client.setRequestHandler("elicitation/create", () => answer as { action: "decline" });
            const { content } = await call("AskUserQuestion", { questions });
            expect(content[0]?.text).toContain(says);
          }
        },
      );
    });
  }
}

Deno.test("mcp server > a question fails at once if the client does not support forms", async () => {
  using it = scene();
  await using peer = Peer.start(it.flags, { cwd: it.inside });
  await peer.initialize();
  const { result } = await peer.call("AskUserQuestion", { questions });
  expect(result._meta["toolcall/error"].code).toBe("unavailable");
  expect(result.content[0].text).toContain("--ask=exec:PROGRAM");
});

Deno.test("mcp server > the server speaks the older revisions, and offers the newest of them for an unknown one", async () => {
  using it = scene();
  const rows = [
    ...["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"].map((
      version,
    ) => [version, version]),
    ["1999-01-01", "2025-11-25"],
  ];
  for (const [version, answered] of rows) {
    await using peer = Peer.start(it.flags, { cwd: it.inside });
    const { result } = await peer.initialize({ version: version! });
    expect(result.protocolVersion).toBe(answered);
    expect((await peer.call("fs.read", { path: "file.txt" })).result.isError).toBe(false);
  }
});

Deno.test("mcp server > a cursor continues the list of tools, and an invalid cursor is an error", async () => {
  using it = scene();
  await using peer = Peer.start(it.flags, { cwd: it.inside });
  await peer.initialize();
  const first = (await peer.request("tools/list")).result;
  const names = first.tools.map(({ name }: { name: string }) => name);
  expect(names).toEqual([...names].sort());
  const from = (name: string) =>
    peer.request("tools/list", { cursor: new TextEncoder().encode(name).toBase64() });
  expect((await from(names[3])).result.tools[0].name).toBe(names[3]);
  expect((await from("zzz")).result).toEqual({ tools: [] });
  expect((await peer.request("tools/list", { cursor: "%" })).error?.code).toBe(-32602);
});

Deno.test("mcp server > the roots of a client restrict the permissions, also those of programs", async () => {
  using it = scene();
  let roots = [{ uri: `file://${it.inside}/deep` }];
  await using session = await connect("stdio", {
    flags: [...it.flags, "--allow-run"],
    cwd: it.inside,
    capabilities: { roots: { listChanged: true } },
  });
  const { client } = session;
  client.setRequestHandler("roots/list", () => ({ roots }));
  const text = async (name: string, args: Record<string, unknown>) => {
    const { content } = await client.callTool({ name, arguments: args });
    return (content as { text: string }[]).map((block) => block.text).join("\n");
  };
  const command = `cat ${it.inside}/file.txt; cat ${it.inside}/deep/file.txt`;
  expect(await text("fs.read", { path: "deep/file.txt" })).toBe("what is deep inside\n");
  expect(await text("fs.read", { path: "file.txt" })).toContain("needs --allow-read");
  expect(await text("Bash", { command })).toMatch(/Permission denied[^]*what is deep inside/);
  roots = [{ uri: `file://${it.path}` }];
  await client.sendRootsListChanged();
  expect(await text("fs.read", { path: "file.txt" })).toBe("what is inside\n");
  expect(await text("Read", { file_path: `${it.path}/secret.txt` })).toContain("needs --allow");
  roots = [{ uri: "https://example.com/" }];
  await client.sendRootsListChanged();
  expect(await text("fs.read", { path: "file.txt" })).toContain("Cannot read the roots");
  // A client without roots does not restrict the permissions.
  roots = [];
  await client.sendRootsListChanged();
  expect(await text("fs.read", { path: "file.txt" })).toBe("what is inside\n");
});

Deno.test("mcp server > a root never extends the permissions, whatever its address is", async (t) => {
  using it = scene();
  Deno.symlinkSync("loop", `${it.inside}/loop`);
  let root = "";
  await using session = await connect("stdio", {
    flags: [...it.flags, `--allow-write=${it.inside}`, "--allow-run"],
    cwd: it.inside,
    capabilities: { roots: { listChanged: true } },
  });
  const { client } = session;
  const asked: string[] = [];
  client.setRequestHandler("roots/list", () => {
    asked.push(root);
    return { roots: [{ uri: `file://${it.inside}/${root}` }] };
  });
  const names = ["file.txt/..%2f..", "loop/..%2f..", "loop", "deep%00", "..", "none/..%2f.."];
  for (const name of names) {
    await t.step(name, async () => {
      root = name;
      await client.sendRootsListChanged();
      const command = `cat ${it.path}/secret.txt; echo > ${it.path}/made`;
      const { content } = await client.callTool({ name: "Bash", arguments: { command } });
      expect(asked.at(-1)).toBe(name);
      expect(JSON.stringify(content)).not.toContain("SECRET");
      expect(() => Deno.lstatSync(`${it.path}/made`)).toThrow();
    });
  }
});

Deno.test("mcp server > a directory that becomes a symlink gives programs no access to its target", async () => {
  using it = scene();
  await using session = await connect("stdio", {
    flags: [...it.flags, `--allow-write=${it.inside}`, "--allow-run"],
    cwd: it.inside,
    capabilities: { roots: {} },
  });
  const { client } = session;
  client.setRequestHandler("roots/list", () => ({ roots: [{ uri: `file://${it.inside}/deep` }] }));
  const run = async (command: string) => {
    const { content } = await client.callTool({ name: "Bash", arguments: { command } });
    return JSON.stringify(content);
  };
  expect(await run("cat deep/file.txt")).toContain("what is deep inside");
  // The call of another client, whose root is the directory above, may do the same.
  Deno.renameSync(`${it.inside}/deep`, `${it.inside}/old`);
  const outside = `${it.path}/outside`;
  Deno.mkdirSync(outside);
  Deno.symlinkSync(outside, `${it.inside}/deep`);
  const said = await run(`echo > ${outside}/made`);
  expect([...Deno.readDirSync(outside)]).toEqual([]);
  expect(said).toContain("goes through a symbolic link");
});

Deno.test("mcp server > a file is readable after its directory was removed and created again", async () => {
  using it = scene();
  const granted = `${it.path}/granted`;
  await using peer = Peer.start([`--allow-read=${granted}`], { cwd: it.inside });
  await peer.initialize();
  const read = async () =>
    (await peer.call("Read", { file_path: `${granted}/file.txt` })).result.content[0].text;
  expect(await read()).toContain("does not exist");
  for (const text of ["first", "second"]) {
    Deno.mkdirSync(granted);
    Deno.writeTextFileSync(`${granted}/file.txt`, text);
    expect(await read()).toContain(text);
    Deno.removeSync(granted, { recursive: true });
  }
});

Deno.test("mcp server > a cancelled call ends its programs, and the server still answers", async () => {
  using it = scene();
  await using peer = Peer.start(["-A", `--state-dir=${it.path}/state`], { cwd: it.inside });
  await peer.initialize();
  const sleep = endlessSleep();
  await peer.write(
    `${
      JSON.stringify({
        jsonrpc: "2.0",
        id: "sleeper",
        method: "tools/call",
        params: { name: "Bash", arguments: { command: `${sleep}; echo no` } },
      })
    }\n`,
  );
  expect(await until(() => processesWith(sleep).length > 0)).toBe(true);
  await peer.notify("notifications/cancelled", { requestId: "sleeper" });
  expect(await until(() => processesWith(sleep).length === 0)).toBe(true);
  expect((await peer.call("fs.read", { path: "file.txt" })).result.isError).toBe(false);
});

Deno.test("mcp server > pending requests are still answered after the input has ended", async () => {
  using it = scene();
  const peer = Peer.start(it.flags, { cwd: it.inside });
  await peer.initialize();
  const answers = Array.from({ length: 20 }, () => peer.call("fs.read", { path: "file.txt" }));
  expect(await peer.end()).toBe(0);
  for (const answer of answers) expect((await answer).result.isError).toBe(false);
});

Deno.test("mcp server > an invalid line is answered with an error, and the next line is read", async () => {
  using it = scene();
  await using peer = Peer.start(it.flags, { cwd: it.inside });
  await peer.initialize();
  const rows: [line: string, code: number, id?: number][] = [
    ["nonsense", -32700],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/list"', -32700],
    ['"text"', -32600],
    ["[]", -32600],
    ["{}", -32600],
    ['{"jsonrpc":"1.0","id":77,"method":"tools/list"}', -32600, 77],
    ["\u00a0", -32700],
    ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, 1.5],
    ['{"jsonrpc":"2.0","id":1e300,"method":"ping"}', -32600, 1e300],
    ['{"jsonrpc":"2.0","id":78,"method":"ping","params":"text"}', -32600, 78],
    ['{"jsonrpc":"2.0","id":79,"method":"ping","params":{"_meta":[]}}', -32600, 79],
    [
      '{"jsonrpc":"2.0","id":80,"method":"ping","params":{"_meta":{"progressToken":{}}}}',
      -32600,
      80,
    ],
  ];
  for (const [line, code, id = null] of rows) {
    await peer.write(`${line}\r\n`);
    expect(await until(() => peer.unasked.length > 0)).toBe(true);
    expect(peer.unasked.shift()).toMatchObject({ id, error: { code } });
  }
  await peer.write("\n  \n");
  expect((await peer.request("ping")).result).toEqual({});
  // The server does not wait for the errors to be read.
  await peer.write('{"jsonrpc":"2.0","id":81,"method":"ping","params":1}\n'.repeat(150));
  expect((await peer.request("ping")).result).toEqual({});
});
