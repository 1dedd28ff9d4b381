import { writeFileSync } from "node:fs";
import process from "node:process";
import { configuration, runScript } from "./command.mjs";
import { fromResult } from "./results.mjs";

const script = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js";

export function connect(server) {
  const config = `${process.cwd()}/${crypto.randomUUID()}.json`;
  writeFileSync(config, configuration(server));
  // The Inspector keeps a catalogue in HOME.
  const env = { ...process.env, HOME: process.cwd(), MCP_INSPECTOR_SECRET_STORE: "memory" };
  const run = (args, options) =>
    runScript([script, "--cli", "--config", config, "--server", "server", ...args], {
      ...{ env, ...options },
    });
  return {
    async list() {
      const { stdout, stderr } = await run(["--method", "tools/list"], {});
      if (stdout === "") throw new Error(stderr);
      return JSON.parse(stdout).tools.map(({ name }) => name);
    },
    async call(name, args, options = {}) {
      const { stdout, stderr } = await run([
        ...["--method", "tools/call", "--tool-name", name],
        ...["--tool-args-json", JSON.stringify(args)],
      ], options);
      if (stdout === "") throw new Error(stderr.trim().split("\n").at(-1));
      return fromResult(JSON.parse(stdout));
    },
  };
}
