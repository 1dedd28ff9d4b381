import { mkdirSync, writeFileSync } from "node:fs";
import process from "node:process";
import { runProgram } from "./command.mjs";
import { scriptedModel } from "./scripted_model.mjs";

/** The executable for this platform, which the package's install script would link. */
function executable() {
  return `node_modules/opencode-${process.platform}-${process.arch}/bin/opencode`;
}

export function connect({ command, args, env }) {
  async function run(call, options = {}) {
    const model = await scriptedModel(call);
    const home = `${process.cwd()}/${crypto.randomUUID()}`;
    mkdirSync(home);
    const config = {
      model: "scripted/scripted",
      small_model: "scripted/scripted",
      autoupdate: false,
      share: "disabled",
      permission: "allow",
      provider: {
        scripted: {
          npm: "@ai-sdk/openai-compatible",
          options: { baseURL: `${model.origin}/v1`, apiKey: "none" },
          models: { scripted: { attachment: true, tool_call: true } },
        },
      },
      mcp: {
        server: {
          ...{ type: "local", command: [command, ...args], environment: env },
          ...{ enabled: true, timeout: 120_000 },
        },
      },
    };
    writeFileSync(`${home}/opencode.json`, JSON.stringify(config));
    const { stderr } = await runProgram([executable(), "run", "Go"], {
      ...options,
      env: { ...process.env, HOME: home, OPENCODE_CONFIG: `${home}/opencode.json`, XDG_DATA_HOME: home },
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
