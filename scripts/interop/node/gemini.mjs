import { mkdirSync, writeFileSync } from "node:fs";
import process from "node:process";
import { runScript } from "./command.mjs";
import { scriptedModel } from "./scripted_model.mjs";

export function connect({ command, args, env, cwd }) {
  async function run(call, options = {}) {
    const model = await scriptedModel(call);
    const home = `${process.cwd()}/${crypto.randomUUID()}`;
    mkdirSync(`${home}/.gemini`, { recursive: true });
    const settings = {
      mcpServers: { server: { command, args, env, cwd, trust: true, timeout: 120_000 } },
      security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
    };
    writeFileSync(`${home}/.gemini/settings.json`, JSON.stringify(settings));
    const { stderr } = await runScript([
      "node_modules/@google/gemini-cli/bundle/gemini.js",
      ...["--yolo", "--model", "gemini-2.5-flash", "--prompt", "Go"],
    ], {
      ...options,
      env: {
        ...process.env,
        HOME: home,
        GEMINI_API_KEY: "none",
        GOOGLE_GEMINI_BASE_URL: model.origin,
        GEMINI_CLI_TRUST_WORKSPACE: "true",
      },
    });
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
