/** Which calls of one message run at the same time. */
import { expect } from "@std/expect";
import { executable, temporaryDirectory, toolcall } from "../../../support/executable.ts";

const use = (id: string, name: string, input: unknown) => ({ type: "tool_use", id, name, input });

/** Runs the calls of a message; stops them when they wait for each other in vain. */
async function texts(
  content: unknown[],
  { flags = [], ...where }: { flags?: string[]; cwd?: string } = {},
): Promise<string[]> {
  const child = new Deno.Command(executable, {
    ...where,
    args: ["-A", "--format=anthropic", ...flags],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(JSON.stringify(content)));
  await writer.close();
  const timer = setTimeout(() => child.kill("SIGTERM"), 200_000);
  const { stdout } = await child.output();
  clearTimeout(timer);
  const { content: results } = JSON.parse(new TextDecoder().decode(stdout));
  return results.map((result: { content: { text: string }[] }) => result.content[0]!.text);
}

/** A web server that answers each of `count` requests only when all of them have come. */
function meeting(count: number) {
  const { promise, resolve } = Promise.withResolvers<void>();
  let come = 0;
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async ({ url }) => {
    if (++come === count) resolve();
    await promise;
    return new Response(`met at ${new URL(url).pathname}`);
  });
  const stop = async () => {
    resolve();
    await server.shutdown();
  };
  const host = `127.0.0.1:${server.addr.port}`;
  return { host, origin: `http://${host}`, [Symbol.asyncDispose]: stop };
}

const visits = (origin: string, count: number) =>
  Array.from(
    { length: count },
    (_, place) =>
      use(`${place}`, "WebFetch", { url: `${origin}/${place}`, prompt: "What is there?" }),
  );

Deno.test("the calls of a message > eight that only read run at the same time", async () => {
  await using place = meeting(8);
  const said = await texts(visits(place.origin, 8), {
    flags: [`--allow-net=${place.host}`],
  });
  for (const [number, text] of said.entries()) expect(text).toContain(`met at /${number}`);
});

Deno.test("the calls of a message > P1 P2 P11 that only read are refused what leads outside the grant", async () => {
  using directory = temporaryDirectory();
  const inside = `${directory.path}/inside`;
  Deno.mkdirSync(inside);
  Deno.writeTextFileSync(`${inside}/a.txt`, "alpha\n");
  Deno.writeTextFileSync(`${directory.path}/secret`, "SECRET\n");
  Deno.symlinkSync(`${directory.path}/secret`, `${inside}/link`);
  const paths = [
    ...[`${inside}/a.txt`, `${directory.path}/secret`, `${inside}/link`, `${inside}/a.txt`],
    ...[`/proc/self/root${directory.path}/secret`, "/proc/self/environ", `${inside}/../secret`],
  ];
  const message = paths.map((file_path, at) => use(`${at}`, "Read", { file_path }));
  const run = await toolcall([`--allow-read=${inside}`], { stdin: JSON.stringify(message) });
  expect(run.code).toBe(6);
  expect(run.stdout).not.toContain("SECRET");
  const results: { isError: boolean }[] = JSON.parse(run.stdout);
  expect(results.map(({ isError }) => isError))
    .toEqual([false, true, true, false, true, true, true]);
});

Deno.test("the calls of a message > one that writes runs by itself, with those before it ended", async () => {
  using directory = temporaryDirectory();
  // Each begins, gives the others time to do so too, and tells whether it was alone.
  const alone = (name: string) =>
    `mkdir ${directory.path}/busy && sleep 1.5 && rmdir ${directory.path}/busy && echo ${name} was alone`;
  const said = await texts(["a", "b"].map((name) => use(name, "Bash", { command: alone(name) })));
  expect(said).toEqual(["a was alone\n", "b was alone\n"]);
});

/** An MCP server whose tool tells whether it was alone, after giving others time to come. */
const server = `
const answers = {
  initialize: () => ({
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "s", version: "1" },
  }),
  "tools/list": () => ({ tools: [{ name: "change", inputSchema: { type: "object" } }] }),
  "tools/call": async () => {
    let text = "alone";
    try {
      Deno.mkdirSync("busy");
      await new Promise((resolve) => setTimeout(resolve, 1500));
      Deno.removeSync("busy");
    } catch {
      text = "not alone";
    }
    return { content: [{ type: "text", text }] };
  },
};
const lines = Deno.stdin.readable.pipeThrough(new TextDecoderStream());
let rest = "";
for await (const part of lines) {
  const all = (rest + part).split("\\n");
  rest = all.pop();
  for (const line of all) {
    const { id, method } = JSON.parse(line);
    if (id === undefined) continue;
    const result = await answers[method]?.() ?? {};
    console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
  }
}
`;

Deno.test("the calls of a message > of an MCP server run one after the other, whatever they do", async () => {
  using directory = temporaryDirectory();
  Deno.writeTextFileSync(`${directory.path}/server.js`, server);
  const args = ["run", "-A", "--quiet", "--no-config", `${directory.path}/server.js`];
  Deno.writeTextFileSync(
    `${directory.path}/toolcall.json`,
    JSON.stringify({ mcpServers: { s: { command: Deno.execPath(), args } } }),
  );
  const said = await texts(["a", "b"].map((id) => use(id, "mcp__s__change", {})), {
    flags: [`--state-dir=${directory.path}/state`],
    cwd: directory.path,
  });
  expect(said).toEqual(["alone", "alone"]);
});
