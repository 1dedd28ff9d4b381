/** An MCP server over stdio that misbehaves in the way that its first argument names. */

const [mode = "plain", directory = ".", remote = "http://127.0.0.1:9"] = Deno.args;

type Message = { id?: number | string; method?: string; params?: Record<string, unknown> };
type Json = Record<string, unknown>;

const encoder = new TextEncoder();
const object = { type: "object", properties: {}, additionalProperties: false };

function write(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
}

function send(message: Json): void {
  write(encoder.encode(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`));
}

function warn(text: string): void {
  Deno.stderr.writeSync(encoder.encode(text));
}

function note(name: string, text: string): void {
  Deno.writeTextFileSync(`${directory}/${name}`, text, { append: true });
}

function tool(name: string, more: Json = {}): Json {
  return { name, description: `Does ${name}`, inputSchema: object, ...more };
}

const manyTools = () => Array.from({ length: 100_000 }, (_, at) => tool(`tool${at}`));

const pattern = (of: string) => ({
  type: "object",
  properties: { text: { type: "string", pattern: of } },
});

const odd = (): Json[] => [
  tool("twice", { description: "The first" }),
  tool("twice", { description: "The second" }),
  tool("with.dot"),
  tool("x".repeat(80)),
  tool("a.b"),
  tool("a_b"),
  tool("with blank"),
  { name: "quiet", title: "Without a description", inputSchema: object },
  tool(""),
  tool("Read"),
  tool("hidden", {
    title: "Tag\u{e0041}ged",
    description: "Harmless\u{e0049}\u{e0067}\u200b\u202e\u001b[31m text",
    inputSchema: {
      type: "object",
      properties: { a: { type: "string", description: "A\u2066word" } },
    },
  }),
  tool("foreign", { inputSchema: { $schema: "https://example.com/own-schema", type: "object" } }),
  tool("oldest", {
    inputSchema: { $schema: "http://json-schema.org/draft-04/schema#", type: "object" },
  }),
  tool("seven", {
    inputSchema: {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      definitions: { n: { type: "integer" } },
      properties: {
        pair: { type: "array", items: [{ $ref: "#/definitions/n" }, { type: "string" }] },
      },
      required: ["pair"],
    },
  }),
  tool("latest", {
    inputSchema: {
      type: "object",
      properties: { pair: { type: "array", prefixItems: [{ type: "integer" }] } },
      unknownKeyword: true,
      dependentRequired: { a: ["b"] },
    },
  }),
  tool("remote", {
    inputSchema: {
      type: "object",
      properties: { a: { $ref: `${remote}/a.json` } },
    },
  }),
  tool("broken", { inputSchema: { type: "object", properties: { a: { type: "nonsense" } } } }),
  tool("slow", { inputSchema: pattern("^(a+)+$") }),
  tool("ahead", { inputSchema: pattern("^(?=(a+)+$)a") }),
  tool("large", { inputSchema: { type: "object", description: "x".repeat(2 ** 20) } }),
  { name: "schemaless" },
  { description: "No name" },
  7 as unknown as Json,
];

/** Tools whose texts try to break a display. */
const ugly = (): Json[] => {
  let deep: Json = { type: "string" };
  for (let at = 0; at < 300; at++) {
    deep = at % 2 === 0 ? { anyOf: [deep] } : { properties: { [`level${at}`]: deep } };
  }
  return [
    tool("n".repeat(55), {
      title: `${"\u65e5\u672c\u8a9e".repeat(30)}\u001b[2J\r\nNext\u001b]0;title\u0007`,
      description: `${"x".repeat(5_000)}\n\u001b[31mred\u009b2J ${
        "\u{1f469}\u200d\u{1f467}".repeat(90)
      }`,
    }),
    tool("strange", {
      inputSchema: {
        type: "object",
        properties: {
          "line\nend\u001b[2J\u202e": {
            type: "string",
            default: "\u009b2J\u202e",
            description: "",
          },
          ["\u65e5".repeat(120)]: { type: "string", pattern: "^\n\u001b[A-Z]$" },
          many: { enum: Array.from({ length: 500 }, (_, at) => `value ${at}\u2028`) },
          tree: { $ref: "#/$defs/node", description: "The tree" },
          deep,
          odd: { type: 7, required: "x", properties: [], anyOf: [null, 1], items: true },
          plain: true,
        },
        required: ["tree"],
        $defs: {
          node: {
            type: "object",
            properties: {
              value: { type: ["integer", "null"] },
              children: { type: "array", items: { $ref: "#/$defs/node" } },
            },
            required: ["value"],
          },
        },
      },
    }),
  ];
};

const usual = [
  tool("echo", {
    inputSchema: {
      type: "object",
      properties: { text: { type: "string" } },
      required: ["text"],
    },
  }),
  tool("fail"),
  tool("refuse"),
  tool("reject"),
  tool("wait"),
  tool("crash"),
  tool("flood"),
  tool("asks-on"),
  tool("huge"),
  tool("progress"),
  ...["steady", "listed", "coded", "nan", "pretty", "cut", "lost"].map((name) => tool(name)),
  tool("change"),
  tool("data", { outputSchema: { type: "object", properties: { n: { type: "integer" } } } }),
  tool("bare", { outputSchema: { type: "object" } }),
  tool("list", { outputSchema: { type: "array" } }),
];
let extra: Json[] = [];

function list(id: Message["id"], params: Json = {}): void {
  const { cursor } = params as { cursor?: string };
  if (mode === "hang-list") return;
  const at = Number(cursor ?? 0);
  const tools = mode === "many"
    ? manyTools()
    : mode === "odd"
    ? odd()
    : mode === "ugly"
    ? ugly()
    : mode === "endless"
    ? [tool(`page${at}`)]
    : mode === "circle"
    ? [tool(`page${at}`)]
    : [...usual, ...extra];
  const next = mode === "endless" ? { nextCursor: String(at + 1) } : {};
  send({ id, result: { tools, ...next, ...(mode === "circle" && { nextCursor: "1" }) } });
}

const text = (of: string) => ({ content: [{ type: "text", text: of }] });

function call(id: Message["id"], params: Json): void {
  const { name, arguments: args, _meta } = params as { name: string; arguments: Json; _meta: Json };
  switch (name) {
    case "fail": {
      const image = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };
      const said = `It failed with ${Deno.env.get("TOKEN")}`;
      return send({
        id,
        result: { content: [{ type: "text", text: said }, image], isError: true },
      });
    }
    case "refuse":
      return send({ id, error: { code: -32602, message: `Bad ${Deno.env.get("TOKEN")}` } });
    case "reject":
      return send({ id, error: { code: -32000, message: "No disk\u001b[2J" } });
    case "wait":
      return directory === "." ? undefined : note("waiting", ".");
    case "crash":
      warn(`Out of luck with ${Deno.env.get("TOKEN")}\u001b[31m\u0007\n`);
      return Deno.exit(9);
    case "flood":
      for (;;) send({ method: "notifications/message", params: { level: "info", data: "x" } });
    // falls through, never
    case "asks-on":
      for (let at = 0;; at++) send({ id: `ask ${at}`, method: "ping" });
    // falls through, never
    case "huge":
      return send({ id, result: text("x".repeat(2 ** 24)) });
    case "progress": {
      const { progressToken } = _meta;
      const reports = [1, 2].map((progress) => ({
        method: "notifications/progress",
        params: { progressToken, progress, total: 2, message: `step ${progress}` },
      }));
      // All messages are sent in one write.
      const lines = [...reports, { id, result: text("done") }]
        .map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
      return write(encoder.encode(lines.join("")));
    }
    case "steady": {
      const { progressToken } = _meta;
      let progress = 0;
      const report = setInterval(() => {
        send({ method: "notifications/progress", params: { progressToken, progress: ++progress } });
        if (progress < 25) return;
        clearInterval(report);
        send({ id, result: text("steadily done") });
      }, 100);
      return;
    }
    case "nan":
      return write(encoder.encode(
        `{"jsonrpc":"2.0","id":${
          JSON.stringify(id)
        },"result":{"content":[],"structuredContent":{"v":NaN}}}\n`,
      ));
    case "listed":
      return send({ id, result: [1] });
    case "coded":
      return send({ id, error: { code: "no", message: 5 } });
    case "pretty": {
      const message = { jsonrpc: "2.0", id, result: text("over several lines") };
      return write(encoder.encode(`${JSON.stringify(message, null, 2)}\n`));
    }
    case "cut":
      return write(encoder.encode(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"a\n`));
    case "lost":
      return write(encoder.encode('{"jsonrpc":"2.0","id":"other","result":{"v":Infinity}}\n'));
    case "change":
      extra = [tool("fresh")];
      send({ method: "notifications/tools/list_changed" });
      return send({ id, result: text("changed") });
    case "data":
      return send({ id, result: { ...text("half"), structuredContent: { n: 0.5 } } });
    case "bare":
      return send({ id, result: text("none") });
    default:
      return send({ id, result: text(String(args["text"] ?? name)) });
  }
}

function receive({ id, method, params = {} }: Message): void {
  if (mode === "hang-initialize") return;
  if (method === "server/discover" && mode === "ends-at-probe") Deno.exit(1);
  if (method === "server/discover" && mode === "ignores-probe") return;
  if (method === "initialize") {
    note("starts", "1");
    const capabilities = { tools: { listChanged: true } };
    const serverInfo = { name: "nasty", version: "1" };
    const { protocolVersion } = params;
    return send({ id, result: { protocolVersion, capabilities, serverInfo } });
  }
  if (method === "tools/list") return list(id, params);
  if (method === "tools/call") return call(id, params);
  if (method === "notifications/cancelled") return note("cancelled", JSON.stringify(params));
  if (id !== undefined) send({ id, error: { code: -32601, message: "Method not found" } });
}

switch (mode) {
  case "exit":
    warn(`Cannot start: the key ${Deno.env.get("TOKEN")} is wrong\u001b[31m\u0007\n`);
    Deno.exit(3);
  // falls through, never
  case "flood-stdout": {
    const bytes = new Uint8Array(2 ** 20).fill(120);
    for (;;) write(bytes);
  }
  // falls through, never
  case "flood-stderr": {
    const bytes = new Uint8Array(2 ** 16).fill(120);
    for (let count = 0; count < 1_000; count++) Deno.stderr.writeSync(bytes);
    break;
  }
  case "noise":
    write(encoder.encode("Welcome!\n{ not json\n\n[]\n42\n"));
    break;
  case "stubborn": {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
      Deno.addSignalListener(signal, () => {});
    }
    const child = new Deno.Command("/bin/sh", {
      args: ["-c", "trap '' TERM HUP; while :; do sleep 1; done"],
      stdin: "null",
      stdout: "inherit",
      stderr: "null",
    }).spawn();
    note("pids", `${Deno.pid} ${child.pid} `);
  }
}

let rest = "";
for await (const part of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
  const lines = (rest + part).split("\n");
  rest = lines.pop()!;
  for (const line of lines) receive(JSON.parse(line));
}
// A stubborn server does not end when its input ends.
if (mode === "stubborn") await new Promise(() => setInterval(() => {}, 1_000));
Deno.exit(0);
