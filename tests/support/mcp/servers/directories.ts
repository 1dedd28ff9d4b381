/**
 * An MCP server over stdio with resources in directories. With the argument `directories` it can list
 * a directory, with two items in a page.
 */

const canList = Deno.args[0] === "directories";
const file = (uri: string) => ({ uri, name: uri.split("/").at(-1), mimeType: "text/plain" });
const directory = (uri: string) => ({ ...file(uri), mimeType: "inode/directory" });

const FILES = ["docs://guide/a.md", "docs://guide/more/b.md", "docs://guide/more/c.md", "docs://x"];

const CHILDREN: Readonly<Record<string, readonly unknown[]>> = {
  "docs://guide": [
    file("docs://guide/a.md"),
    directory("docs://guide/more"),
    file("docs://guide/unlisted.md"),
  ],
  "docs://empty": [],
};

type Message = { id?: number; method: string; params?: { uri?: string; cursor?: string } };

function answer({ method, params = {} }: Message): unknown {
  if (method === "initialize") {
    const extensions = { "io.modelcontextprotocol/skills": { directoryRead: true } };
    return {
      protocolVersion: "2025-06-18",
      serverInfo: { name: "directories", version: "1" },
      capabilities: { resources: {}, ...(canList && { extensions }) },
    };
  }
  if (method === "resources/list") return { resources: FILES.map(file) };
  if (method === "resources/templates/list") return { resourceTemplates: [] };
  const children = method === "resources/directory/read" && canList
    ? CHILDREN[params.uri ?? ""]
    : undefined;
  if (children === undefined) return undefined;
  const start = Number(params.cursor ?? 0);
  const isLast = start + 2 >= children.length;
  return {
    resources: children.slice(start, start + 2),
    ...(!isLast && { nextCursor: String(start + 2) }),
  };
}

let rest = "";
for await (const chunk of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop()!;
  for (const line of lines) {
    const message: Message = JSON.parse(line);
    if (message.id === undefined) continue;
    const result = answer(message);
    const reply = result === undefined
      ? { error: { code: -32602, message: `Not a directory: ${message.params?.uri}` } }
      : { result };
    const text = JSON.stringify({ jsonrpc: "2.0", id: message.id, ...reply });
    Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
  }
}
