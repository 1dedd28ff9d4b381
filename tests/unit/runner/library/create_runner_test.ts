import { expect } from "@std/expect";
import { fileURLToPath } from "node:url";
import {
  type CallResult,
  createRunner,
  defineTool,
  entryOf,
  importTool,
  Registry,
  type RunnerCall,
  type RunnerOptions,
  simpleTool,
  UsageError,
} from "../../../../src/api.ts";

const api = JSON.stringify(import.meta.resolve("../../../../src/api.ts"));

/** A tool that reads its path, or does something else if its arguments ask for that. */
const READER = `import { defineTool } from ${api};
export default defineTool({
  name: "reader", title: "Reader", description: "Reads.", category: "utility",
  sideEffect: "read_only", optionality: "optional", usageHint: "x", examples: [],
  timeoutMs: ({ mode }) => mode === "loop" ? 400 : 30_000,
  inputSchema: { type: "object", required: ["path"], additionalProperties: false, properties: {
    path: { type: "string" }, count: { type: "integer" }, instead: { type: "string" },
    mode: { enum: ["read", "write", "run", "env", "loop", "late", "ffi", "net"], default: "read" },
  } },
  permissions: { kinds: ["read"], needs: ({ path }) => [{ name: "read", path }] },
  async run({ path, instead = "", mode }, ctx) {
    if (mode === "loop") while (true);
    if (mode === "write") Deno.writeTextFileSync(instead, "x");
    if (mode === "run") new Deno.Command("true").outputSync();
    if (mode === "env") return String(Deno.env.get("HOME"));
    if (mode === "ffi") Deno.dlopen("libc.so.6", {});
    if (mode === "net") await fetch("http://127.0.0.1:9999/");
    if (mode === "late") await import(instead);
    return Deno.readTextFileSync(instead || ctx.path(path));
  },
});`;

/** A tool that fetches from one host, and tries to fetch from another one or to read a file. */
const FETCHER = `import { simpleTool } from ${api};
export default simpleTool("fetcher", "Fetches.", async (args, ctx) => {
  const { url, other, file } = args as Record<string, string>;
  if (file) return Deno.readTextFileSync(file);
  return await (await (other ? fetch(other) : ctx.fetch(url!))).text();
}, { permissions: { kinds: ["net"], needs: ({ url }) => [{ name: "net", host: new URL(String(url)).host }] } });`;

const directory = Deno.makeTempDirSync({ prefix: "toolcall-library-" });
globalThis.addEventListener("unload", () => Deno.removeSync(directory, { recursive: true }));
const at = (name: string) => `${directory}/${name}`;
Deno.mkdirSync(at("open"));
Deno.mkdirSync(at("closed"));
Deno.writeTextFileSync(at("open/a.txt"), "open text");
Deno.writeTextFileSync(at("closed/b.txt"), "closed text");
Deno.symlinkSync(at("closed/b.txt"), at("open/link.txt"));
Deno.writeTextFileSync(at("reader.ts"), READER);
Deno.writeTextFileSync(at("fetcher.ts"), FETCHER);
const reader = await importTool(`file://${at("reader.ts")}`);
const fetcher = await importTool(`file://${at("fetcher.ts")}`);

const add = defineTool({
  name: "add",
  aliases: ["plus"],
  title: "Add",
  description: "Adds.",
  category: "utility",
  sideEffect: "none",
  optionality: "optional",
  usageHint: "x",
  inputSchema: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number", default: 10 } },
    required: ["a"],
    additionalProperties: false,
  },
  examples: [],
  permissions: { kinds: [], needs: () => [] },
  run: ({ a, b = 0 }) => String(a + b),
});

const starter = simpleTool("starter", "Starts.", () => "started", {
  permissions: { kinds: ["run"], needs: () => [{ name: "run", command: "true" }] },
});

/** The text of a successful call, or the code of a failure and its text. */
function outcome({ content, isError, _meta }: CallResult): string {
  const text = content.map((block) => block.type === "text" ? block.text : block.type).join();
  return isError ? `${_meta?.["toolcall/error"]?.code}: ${text}` : text;
}

async function run(options: RunnerOptions, call: RunnerCall): Promise<string> {
  return outcome(await createRunner(options).call(call));
}

const readerCall = (args: Record<string, unknown>): RunnerCall => ({
  name: "reader",
  arguments: { path: "a.txt", ...args },
});

Deno.test("createRunner > a call is found, validated, repaired and authorized as in the executable", async () => {
  const options = { tools: [add, reader], permissions: { read: ["."] }, cwd: at("open") };
  const table: readonly (readonly [call: unknown, expected: RegExp])[] = [
    [{ name: "add", arguments: { a: 1, b: 2 } }, /^3$/],
    [{ name: "plus", arguments: { a: 1 } }, /^11$/],
    [{ name: "add", arguments: { a: "1" } }, /^11$/],
    [{ name: "add" }, /^invalid_arguments: .*\/a: required/s],
    [{ name: "add", arguments: { a: 1, c: 1 } }, /^invalid_arguments: .*unknown argument "c"/s],
    [{ name: "add", args: { a: 1 } }, /^11$/],
    [{ name: "ad" }, /^tool_not_found: .*did you mean "add"/],
    [{ name: "__proto__" }, /^tool_not_found/],
    [{ name: "mcp__files__read" }, /^tool_not_found/],
    [{ name: 1 }, /^malformed_call/],
    [{ name: "add", arguments: [1] }, /^malformed_call/],
    [undefined, /^malformed_call/],
    [{ name: "add", arguments: { a: 1n } }, /^malformed_call: The call is not JSON data/],
    [readerCall({}), /^open text$/],
    [readerCall({ path: at("closed/b.txt") }), /^permission_denied: .*--allow-read=.*closed/],
    [readerCall({ path: "link.txt" }), /^permission_denied: .*--allow-read=.*closed/],
  ];
  for (const [call, expected] of table) {
    expect(await run(options, call as RunnerCall)).toMatch(expected);
  }
});

Deno.test("createRunner > the arguments object of the caller is not changed", async () => {
  const args = { a: "1" };
  await run({ tools: [add] }, { name: "add", arguments: args });
  expect(args).toEqual({ a: "1" });
  const strict = { tools: [add], strict: true };
  expect(await run(strict, { name: "add", arguments: args })).toMatch(/^invalid_arguments/);
});

Deno.test("createRunner > the code of an imported tool has only the permissions that it declares", async () => {
  const permissions = { read: ["."], write: ["."], env: true, net: true } as const;
  const options = { tools: [reader], permissions, cwd: at("open") };
  const refused: readonly (readonly [args: Record<string, unknown>, needed: RegExp])[] = [
    [{ instead: at("closed/b.txt") }, /read access/],
    [{ instead: "/proc/self/environ" }, /access/],
    [{ mode: "write", instead: at("open/new.txt") }, /write access/],
    [{ mode: "run" }, /run access/],
    [{ mode: "env" }, /env access/],
    [{ mode: "ffi" }, /ffi access/],
    [{ mode: "net" }, /net access/],
    [{ mode: "late", instead: `file://${at("closed/c.ts")}` }, /read access/],
  ];
  for (const [args, needed] of refused) {
    const text = await run(options, readerCall(args));
    expect(text).toMatch(/^(permission_denied|tool_failed): /);
    expect(text).toMatch(needed);
  }
  expect([...Deno.readDirSync(at("open"))].map(({ name }) => name).sort())
    .toEqual(["a.txt", "link.txt"]);
});

Deno.test("createRunner > an endless loop of an imported tool ends at its time limit", async () => {
  const options = { tools: [reader], permissions: { all: true } };
  expect(await run({ ...options, cwd: at("open") }, readerCall({ mode: "loop" })))
    .toMatch(/^timeout: .*400 ms/);
});

Deno.test("createRunner > an aborted signal cancels the call", async () => {
  const begun = Promise.withResolvers<void>();
  const waiting = simpleTool("wait", "Waits.", (_, { signal }) =>
    new Promise((_, reject) => {
      const end = () => reject(signal.reason);
      signal.addEventListener("abort", end);
      begun.resolve();
    }));
  const stop = new AbortController();
  const result = createRunner({ tools: [waiting] }).call({ name: "wait" }, { signal: stop.signal });
  await Promise.race([begun.promise, result]);
  stop.abort();
  expect(outcome(await result)).toMatch(/^cancelled/);
});

Deno.test("createRunner > a call reaches only the hosts that it needs, and no files", async () => {
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () => new Response("served"),
  );
  const other = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () => new Response("other"),
  );
  const host = `127.0.0.1:${server.addr.port}`;
  const url = `http://${host}/`;
  const here = simpleTool("here", "Fetches.", async ({ url, other }, ctx) => {
    return await (await ctx.fetch(String(other ?? url))).text();
  }, {
    permissions: {
      kinds: ["net"],
      needs: ({ url }) => [{ name: "net", host: new URL(String(url)).host }],
    },
  });
  const elsewhere = `http://127.0.0.1:${other.addr.port}/`;
  try {
    const tools = [fetcher, here];
    const table: readonly (readonly [
      RunnerOptions["permissions"] & object | string,
      string,
      Record<string, unknown>,
      RegExp,
    ])[] = [
      [{ net: [host] }, "fetcher", { url }, /^served$/],
      [{ net: [host] }, "here", { url }, /^served$/],
      [{ net: true }, "fetcher", { url }, /^permission_denied: .*must be allowed explicitly/],
      [{ net: true }, "here", { url }, /^permission_denied: .*must be allowed explicitly/],
      [{ all: true, net: [host] }, "fetcher", { url, other: elsewhere }, /net access/],
      [{ all: true, net: [host] }, "here", { url, other: elsewhere }, /^permission_denied/],
      [{ all: true, net: [host] }, "fetcher", { url, file: at("open/a.txt") }, /read access/],
      [{ net: [host], deny: { net: ["127.0.0.0/8"] } }, "here", { url }, /^permission_denied/],
    ];
    for (const [permissions, name, args, expected] of table) {
      const text = await run({ tools, permissions }, { name, arguments: args });
      expect(text).toMatch(expected);
    }
  } finally {
    await Promise.all([server.shutdown(), other.shutdown()]);
  }
});

Deno.test("createRunner > a tool that starts programs needs -A or unconfinedRun", async () => {
  const call = { name: "starter" };
  const permissions = "--allow-run=true";
  expect(await run({ tools: [starter], permissions }, call)).toMatch(
    /^unavailable: .*unconfinedRun/,
  );
  expect(await run({ tools: [starter] }, call)).toMatch(/^unavailable/);
  expect(await run({ tools: [starter], permissions: "-A" }, call)).toBe("started");
  expect(await run({ tools: [starter], permissions, unconfinedRun: true }, call)).toBe("started");
  expect(await run({ tools: [starter], unconfinedRun: true }, call)).toMatch(/^permission_denied/);
  const asking = { ...add, uses: ["ask"] } as const;
  expect(await run({ tools: [asking], permissions: "-A" }, { name: "add" })).toMatch(
    /^unavailable: .*"ask".*executable/,
  );
});

Deno.test("createRunner > no call may write the module of a tool", async () => {
  const writer = simpleTool("writer", "Writes.", ({ path }, ctx) => ctx.path(String(path)), {
    permissions: { kinds: ["write"], needs: ({ path }) => [{ name: "write", path: String(path) }] },
  });
  const call = { name: "writer", arguments: { path: "reader.ts" } };
  const options = { tools: [writer, reader], permissions: { write: ["."] }, cwd: directory };
  expect(await run(options, call)).toMatch(/^permission_denied: .*--allow-all/);
  expect(await run({ ...options, tools: [writer] }, call)).toBe(at("reader.ts"));
});

Deno.test("createRunner > permissions are an object, a list of flags or a string", async () => {
  const equal: NonNullable<RunnerOptions["permissions"]>[] = [
    { read: ["."], deny: { read: ["./no,comma"] } },
    ["--allow-read=.", "--deny-read=./no,,comma"],
    "--allow-read=. --deny-read=./no,,comma",
    ["-R", "--deny-read=/etc,./no,,comma"],
    { all: true, deny: { read: ["./no,comma"] } },
    "-A --deny-read=./no,,comma",
  ];
  for (const permissions of equal) {
    const options = { tools: [reader], permissions, cwd: at("open") };
    expect(await run(options, readerCall({}))).toBe("open text");
    expect(await run(options, readerCall({ path: "no,comma/x" }))).toMatch(/^permission_denied/);
  }
  const wrong: readonly unknown[] = [
    ["--verbose"],
    "--allow-mcp",
    "--allow-everything",
    "read",
    ["-P"],
    ["--state-dir=/tmp"],
    [1],
    { reed: true },
    { read: "." },
    { read: [1] },
    { all: "yes" },
    { mcp: true },
    { deny: { reed: true } },
  ];
  for (const permissions of wrong) {
    const options = { tools: [], permissions } as RunnerOptions;
    expect(() => createRunner(options)).toThrow(UsageError);
  }
  const badHost = createRunner({ tools: [add], permissions: { net: ["http://x/"] } });
  await expect(badHost.call({ name: "add", arguments: { a: 1 } })).rejects.toThrow(UsageError);
});

Deno.test("createRunner > a registry may change while the runner uses it", async () => {
  const registry = new Registry();
  const runner = createRunner({ tools: registry });
  expect(runner.registry).toBe(registry);
  const call = { name: "add", arguments: { a: 1 } };
  expect(outcome(await runner.call(call))).toMatch(/^tool_not_found/);
  registry.register(entryOf(add));
  expect(outcome(await runner.call(call))).toBe("11");
  expect((await registry.list()).map(({ name }) => name)).toEqual(["add"]);
  expect(() => createRunner({ tools: [add, add] })).toThrow('"add"');
});

Deno.test("createRunner > calls run at the same time", async () => {
  const runner = createRunner({
    tools: [reader, add],
    permissions: { read: ["."] },
    cwd: at("open"),
  });
  const results = await Promise.all(
    Array.from(
      { length: 6 },
      (_, index) =>
        runner.call(index % 2 === 0 ? readerCall({}) : { name: "add", arguments: { a: index } }),
    ),
  );
  expect(results.map(outcome)).toEqual(["open text", "11", "open text", "13", "open text", "15"]);
});

Deno.test("createRunner > calls of a tool with an invalid schema are unavailable", async () => {
  const inputSchema = { type: "object", properties: { a: { type: "nothing" } } };
  const broken = { ...add, inputSchema } as unknown as typeof add;
  expect(await run({ tools: [broken] }, { name: "add" })).toMatch(/^unavailable: .*"add"/);
});

Deno.test("createRunner > broken rules of a tool are problems of the arguments, with those of the schema", async () => {
  const rules = ({ a, b = 0 }: { a: number; b?: number }) =>
    a < b ? [{ path: "/b", message: "must not be above a" }] : [];
  const options = { tools: [{ ...add, rules }] };
  expect(await run(options, { name: "add", arguments: { a: 3, b: 2 } })).toBe("5");
  const rows: [args: Record<string, unknown>, paths: string[]][] = [
    [{ a: 1, b: 2 }, ["/b"]],
    [{ a: 1, b: 2, c: 3 }, ["/c", "/b"]],
    [{ a: {}, b: 2 }, ["/a"]],
  ];
  for (const [args, paths] of rows) {
    const { _meta } = await createRunner(options).call({ name: "add", arguments: args });
    const { code, problems } = _meta!["toolcall/error"]!;
    expect({ code, paths: (problems as { path: string }[]).map(({ path }) => path) })
      .toEqual({ code: "invalid_arguments", paths });
  }
});

Deno.test("importTool > a relative path and a module without a tool are rejected", async () => {
  for (
    const url of ["./reader.ts", "data:text/javascript,export default 1", "data:text/javascript,"]
  ) {
    await expect(importTool(url)).rejects.toThrow(UsageError);
  }
});

const root = new URL("../../../../", import.meta.url);

for (const module of ["src/api.ts", "main.ts"]) {
  Deno.test(`${module} > an import needs no permission, prints nothing and does not end the program`, async () => {
    const host = at("host.ts");
    Deno.writeTextFileSync(
      host,
      `import ${JSON.stringify(new URL(module, root).href)};\nconsole.log("went on");`,
    );
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "--no-check", "--no-prompt", "--quiet"],
        ...[`--config=${fileURLToPath(new URL("deno.json", root))}`, host, "a", "--flag"],
      ],
      stdin: "null",
    }).output();
    const [out, error] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    expect({ code, out, error }).toEqual({ code: 0, out: "went on\n", error: "" });
  });
}
