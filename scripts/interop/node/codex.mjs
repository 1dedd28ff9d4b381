import { mkdirSync, writeFileSync } from "node:fs";
import process from "node:process";
import { runScript } from "./command.mjs";
import { scriptedModel } from "./scripted_model.mjs";

export function connect({ command, args, env, cwd }) {
  async function run(call, options = {}) {
    const model = await scriptedModel(call);
    const home = `${process.cwd()}/${crypto.randomUUID()}`;
    mkdirSync(home);
    const text = (value) => JSON.stringify(value);
    writeFileSync(
      `${home}/config.toml`,
      [
        'model = "scripted"',
        'model_provider = "scripted"',
        "[model_providers.scripted]",
        'name = "scripted"',
        `base_url = ${text(`${model.origin}/v1`)}`,
        'wire_api = "responses"',
        "[mcp_servers.server]",
        `command = ${text(command)}`,
        `args = ${text(args)}`,
        `env = { ${Object.entries(env).map(([key, value]) => `${key} = ${text(value)}`).join(", ")} }`,
        "required = true",
        "startup_timeout_sec = 60",
        "tool_timeout_sec = 120",
      ].join("\n"),
    );
    const { stderr } = await runScript([
      "node_modules/@openai/codex/bin/codex.js",
      ...["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"],
      ...["-C", cwd, "Go"],
    ], { ...options, env: { ...process.env, CODEX_HOME: home, HOME: home } });
    model.close();
    return { ...model.state, stderr };
  }
  return {
    list: async () => (await run()).names,
    async call(tool, args, options) {
      const { result, stderr } = await run({ tool, args }, options);
      if (result === undefined) throw new Error(`the agent sent no result: ${stderr.slice(-300)}`);
      return result;
    },
  };
}
