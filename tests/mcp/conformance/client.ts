/**
 * What the conformance suite runs as its client: the executable, told of the suite's server
 * by a configuration, does what the scenario of `MCP_CONFORMANCE_SCENARIO` asks for.
 */
import { executable } from "../../support/executable.ts";

const [url] = Deno.args;
const directory = Deno.makeTempDirSync({ prefix: "toolcall-conformance-" });
Deno.writeTextFileSync(
  `${directory}/toolcall.json`,
  JSON.stringify({ mcpServers: { suite: { url } } }),
);

/** The tool of the suite's server that a scenario wants called, and with what. */
const calls: Readonly<Record<string, [tool: string, args: object]>> = {
  tools_call: ["add_numbers", { a: 5, b: 3 }],
  "sse-retry": ["test_reconnection", {}],
  "elicitation-sep1034-client-defaults": ["test_client_elicitation_defaults", {}],
};

const scenario = Deno.env.get("MCP_CONFORMANCE_SCENARIO") ?? "";
const call = calls[scenario];
const args = call === undefined ? ["list"] : [`mcp__suite__${call[0]}`, JSON.stringify(call[1])];
const code = scenario === "http-invalid-tool-headers" ? await callAll() : (await run(args)).code;
Deno.removeSync(directory, { recursive: true });
Deno.exit(code);

function run(args: string[]): Promise<Deno.CommandOutput> {
  return new Deno.Command(executable, {
    args: [...args, "--allow-mcp", `--state-dir=${directory}/state`],
    cwd: directory,
  }).output();
}

/** Calls every tool of the server that is listed, with all that it requires. */
async function callAll(): Promise<number> {
  const { stdout } = await run(["list", "--format=mcp"]);
  const { tools } = JSON.parse(new TextDecoder().decode(stdout)) as {
    tools: { name: string; inputSchema: { required?: string[] } }[];
  };
  for (const { name, inputSchema: { required = [] } } of tools) {
    if (!name.startsWith("mcp__")) continue;
    const args = Object.fromEntries(required.map((key) => [key, "x"]));
    const { code } = await run([name, JSON.stringify(args)]);
    if (code !== 0) return code;
  }
  return 0;
}
