/** The order of the calls of one message. */
import { expect } from "@std/expect";
import { executable, temporaryDirectory, toolcall } from "../../../support/executable.ts";
import { killWhenStuck } from "../../../support/wait.ts";
import { trustFile } from "../../../support/trust.ts";

const use = (id: string, name: string, input: unknown) => ({ type: "tool_use", id, name, input });

/** Runs the calls of a message. Kills them when they wait for each other forever. */
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
  using _ = killWhenStuck(child);
  const { stdout } = await child.output();
  const { content: results } = JSON.parse(new TextDecoder().decode(stdout));
  return results.map((result: { content: { text: string }[] }) => result.content[0]!.text);
}

/** A web server that answers each of `count` requests only when all of them have arrived. */
function meeting(count: number) {
  const { promise, resolve } = Promise.withResolvers<void>();
  let arrived = 0;
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async ({ url }) => {
    if (++arrived === count) resolve();
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

Deno.test("the calls of a message > eight calls that only read run at the same time", async () => {
  await using place = meeting(8);
  const said = await texts(visits(place.origin, 8), {
    flags: [`--allow-net=${place.host}`],
  });
  for (const [number, text] of said.entries()) expect(text).toContain(`met at /${number}`);
});

Deno.test("the calls of a message > P1 P2 P11 a call that only reads is refused paths outside of the permission", async () => {
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

Deno.test("the calls of a message > a call that writes begins when the calls before it have ended", async () => {
  using directory = temporaryDirectory();
  // Each command gives the other one time to begin, and fails if both run at the same time.
  const exclusive = (name: string) =>
    // time: another command that wrongly runs at the same time gets the time to begin
    `mkdir ${directory.path}/busy && sleep 1.5 && rmdir ${directory.path}/busy && echo ${name} was exclusive`;
  const said = await texts(
    ["a", "b"].map((name) => use(name, "Bash", { command: exclusive(name) })),
  );
  expect(said).toEqual(["a was exclusive\n", "b was exclusive\n"]);
});

/** An MCP server whose tool gives other calls time to begin, and reports whether one did. */
const server = `
const answers = {
  initialize: () => ({
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "s", version: "1" },
  }),
  "tools/list": () => ({ tools: [{ name: "change", inputSchema: { type: "object" } }] }),
  "tools/call": async () => {
    let text = "exclusive";
    try {
      Deno.mkdirSync("busy");
      // time: another call that wrongly runs at the same time gets the time to begin
      await new Promise((resolve) => setTimeout(resolve, 1500));
      Deno.removeSync("busy");
    } catch {
      text = "not exclusive";
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

Deno.test("the calls of a message > the calls of one MCP server run one after the other", async () => {
  using directory = temporaryDirectory();
  Deno.writeTextFileSync(`${directory.path}/server.js`, server);
  const args = ["run", "-A", "--quiet", "--no-config", `${directory.path}/server.js`];
  Deno.writeTextFileSync(
    `${directory.path}/toolcall.json`,
    JSON.stringify({ mcpServers: { s: { command: Deno.execPath(), args } } }),
  );
  trustFile(`${directory.path}/toolcall.json`, `${directory.path}/state`);
  const said = await texts(["a", "b"].map((id) => use(id, "mcp__s__change", {})), {
    flags: [`--state-dir=${directory.path}/state`],
    cwd: directory.path,
  });
  expect(said).toEqual(["exclusive", "exclusive"]);
});
