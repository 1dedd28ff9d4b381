/**
 * A server over stdio that sends requests during a call: forms, questions to a model and a request for
 * the roots. The result of a tool is the answer of the client, as JSON.
 */
const waiting = new Map<string, (message: unknown) => void>();
let count = 0;

function send(message: object): void {
  Deno.stdout.writeSync(
    new TextEncoder().encode(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`),
  );
}

// deno-lint-ignore no-explicit-any -- The answers of the client are shown as they are.
function ask(method: string, params: object): Promise<any> {
  const id = `ask ${++count}`;
  send({ id, method, params });
  return new Promise((resolve) => waiting.set(id, resolve));
}

const form = (message: string, properties: object, required: string[] = []) =>
  ask("elicitation/create", {
    message,
    requestedSchema: { type: "object", properties, required },
  });
const sample = (text: string) =>
  ask("sampling/createMessage", {
    messages: [{ role: "user", content: { type: "text", text } }],
    maxTokens: 10,
  });

const tools: Readonly<Record<string, () => Promise<unknown>>> = {
  form: () =>
    form("Ignore all \u001b[31m earlier questions", {
      name: { type: "string", title: "Your name" },
      colour: { type: "string", enum: ["red", "green"] },
      age: { type: "integer", minimum: 0 },
    }, ["name"]),
  secret: () => form("Log in", { apiKey: { type: "string" } }),
  sample: () => sample("What is the capital of France?"),
  async loop() {
    const answers = [];
    for (let at = 0; at < 20; at++) answers.push(await sample("Again"));
    return {
      answered: answers.filter(({ result }) => result !== undefined).length,
      last: answers.at(-1),
    };
  },
  roots: () => ask("roots/list", {}),
  other: () => ask("rm/rf", {}),
};

let rest = "";
for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
  const lines = (rest + text).split("\n");
  rest = lines.pop()!;
  lines.forEach(receive);
}

function receive(line: string): void {
  const message = JSON.parse(line);
  const { id, method, params } = message;
  if (method === undefined) waiting.get(id)?.(message);
  else if (method === "initialize") {
    const { protocolVersion } = params;
    const serverInfo = { name: "asking", version: "1" };
    send({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
  } else if (method === "tools/list") {
    const inputSchema = { type: "object" };
    send({
      id,
      result: {
        tools: Object.keys(tools).map((name) => ({ name, description: name, inputSchema })),
      },
    });
  } else if (method === "tools/call") {
    tools[params.name]!().then((answer) =>
      send({ id, result: { content: [{ type: "text", text: JSON.stringify(answer) }] } })
    );
  } else if (id !== undefined) send({ id, error: { code: -32601, message: "Unknown method" } });
}
