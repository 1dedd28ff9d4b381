/**
 * The client of the conformance suite. It writes a configuration with the suite's server, and runs
 * the executable for the scenario in `MCP_CONFORMANCE_SCENARIO`.
 */
import { fileURLToPath } from "node:url";
import { executable } from "../../support/executable.ts";
import { trustFile } from "../../support/trust.ts";

const [url] = Deno.args;
const scenario = Deno.env.get("MCP_CONFORMANCE_SCENARIO") ?? "";
/** The data of the suite for the client of a scenario, such as credentials. */
const { toolCalls = [], ...context }: Readonly<Record<string, string>> & {
  toolCalls?: { name: string; arguments: object }[];
} = JSON.parse(Deno.env.get("MCP_CONFORMANCE_CONTEXT") ?? "{}");
/** The scopes of the last login. */
let granted: string | null = null;
const directory = Deno.makeTempDirSync({ prefix: "toolcall-conformance-" });
const oauth = scenario.startsWith("auth/") ? await oauthOf() : undefined;
Deno.writeTextFileSync(
  `${directory}/toolcall.json`,
  JSON.stringify({ mcpServers: { suite: { url, ...(oauth && { oauth }) } } }),
);
trustFile(`${Deno.realPathSync(directory)}/toolcall.json`, `${directory}/state`);
const code = await play();
Deno.removeSync(directory, { recursive: true });
Deno.exit(code);

/** The tool of the suite's server that a scenario wants to be called, and its arguments. */
function callOf(): [tool: string, args: object] | undefined {
  switch (scenario) {
    case "tools_call":
      return ["add_numbers", { a: 5, b: 3 }];
    case "sse-retry":
      return ["test_reconnection", {}];
    case "elicitation-sep1034-client-defaults":
      return ["test_client_elicitation_defaults", {}];
    default:
      return undefined;
  }
}

async function play(): Promise<number> {
  const isPersonal = oauth !== undefined && oauth["grant"] !== "client_credentials";
  if (isPersonal) {
    const code = await logIn();
    if (code !== 0) return code;
  }
  // This tool has no description, so it is not listed.
  if (oauth !== undefined) return await callTool("mcp__suite__test-tool", {}, logIn);
  for (const { name, arguments: args } of toolCalls) {
    await run([`mcp__suite__${name}`, JSON.stringify(args)]);
  }
  if (toolCalls.length > 0) return 0;
  if (/^(http-|sep-2322)/.test(scenario)) return await callAll();
  const call = callOf();
  const args = call === undefined ? ["list"] : [`mcp__suite__${call[0]}`, JSON.stringify(call[1])];
  return (await run(args)).code;
}

/** The key `oauth` of the configuration that a user of the scenario's server would write. */
async function oauthOf(): Promise<Record<string, string>> {
  const { client_id: clientId, client_secret: clientSecret, private_key_pem: key } = context;
  if (scenario === "auth/basic-cimd") {
    return { clientMetadataUrl: "https://conformance-test.local/client-metadata.json" };
  }
  if (clientId === undefined) return {};
  const isMachine = scenario.startsWith("auth/client-credentials");
  if (key !== undefined) Deno.writeTextFileSync(`${directory}/key.pem`, key);
  return {
    clientId,
    grant: isMachine ? "client_credentials" : "authorization_code",
    issuer: context["issuer"] ?? await issuer(),
    ...(clientSecret !== undefined && { clientSecret }),
    ...(key !== undefined && {
      privateKeyFile: "key.pem",
      algorithm: context["signing_algorithm"]!,
    }),
  };
}

/** The authorization server of the scenario, which its user would know. */
async function issuer(): Promise<string> {
  const { origin, pathname } = new URL(url!);
  const address = `${origin}/.well-known/oauth-protected-resource${pathname}`;
  return (await (await fetch(address)).json()).authorization_servers[0];
}

/**
 * Logs in, with a browser that follows the addresses. If a failed call names a missing
 * scope, the login asks for that scope too. Returns the exit code.
 */
async function logIn(failure = "{}"): Promise<number> {
  const wanted = JSON.parse(failure)._meta?.["toolcall/error"]?.scope;
  const scope = wanted && [granted, wanted].join(" ").trim();
  const child = new Deno.Command(executable, {
    args: [
      ...["mcp", "login", "suite", "--no-open", "--auth-server", `--state-dir=${directory}/state`],
      ...(scope === undefined ? [] : [`--scope=${scope}`]),
    ],
    cwd: directory,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let shown = "";
  let isOpened = false;
  const read = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>) => {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      shown += text;
      const address = /https?:\S+[?&]response_type=\S+/.exec(shown)?.[0];
      if (address === undefined || isOpened) continue;
      isOpened = true;
      granted = new URL(address).searchParams.get("scope");
      fetch(address).then((response) => response.text()).catch(() => {});
    }
  };
  await Promise.all([read(child.stdout), read(child.stderr)]);
  return (await child.status).code;
}

function run(args: string[]): Promise<Deno.CommandOutput> {
  const answer = fileURLToPath(new URL("first_option.sh", import.meta.url));
  const ask = args[0] === "list" ? [] : [`--ask=exec:${answer}`];
  return new Deno.Command(executable, {
    args: [...args, "--allow-mcp", `--state-dir=${directory}/state`, ...ask],
    cwd: directory,
  }).output();
}

/** Calls a tool. After a failure, the user follows its advice once and tries again. */
async function callTool(name: string, args: object, advised?: (output: string) => Promise<number>) {
  const call = () => run([name, JSON.stringify(args)]);
  const { code, stdout } = await call();
  if (code === 0 || advised === undefined) return code;
  return await advised(new TextDecoder().decode(stdout)) === 0 ? (await call()).code : code;
}

/** Calls every listed tool of the server, with its required arguments. */
async function callAll(): Promise<number> {
  const { stdout } = await run(["list", "--format=mcp"]);
  const { tools } = JSON.parse(new TextDecoder().decode(stdout)) as {
    tools: { name: string; inputSchema: { required?: string[] } }[];
  };
  let last = 0;
  for (const { name, inputSchema: { required = [] } } of tools) {
    if (!name.startsWith("mcp__")) continue;
    last = await callTool(name, Object.fromEntries(required.map((key) => [key, "x"])));
  }
  return last;
}
