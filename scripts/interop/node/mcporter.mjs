import { writeFileSync } from "node:fs";
import process from "node:process";
import { configuration, runScript } from "./command.mjs";
import { fromResult } from "./results.mjs";

const script = "node_modules/mcporter/dist/cli.js";

export function connect(server) {
  const config = `${process.cwd()}/${crypto.randomUUID()}.json`;
  writeFileSync(config, configuration(server));
  const env = { ...process.env, HOME: process.cwd() };
  const run = (args, options) =>
    runScript([script, "--config", config, ...args], { env, ...options });
  return {
    async list() {
      const { stdout, stderr } = await run(["list", "server", "--json"], {});
      if (stdout === "") throw new Error(stderr);
      return JSON.parse(stdout).tools.map(({ name }) => name);
    },
    async call(name, args, options = {}) {
      const { stdout, stderr } = await run([
        ...["call", "--server", "server", "--tool", name, "--args", JSON.stringify(args)],
        ...["--output", "json", "--timeout", "120000"],
      ], options);
      if (stdout === "") throw new Error(stderr);
      const result = JSON.parse(stdout);
      if (result.content === undefined && result.error) throw new Error(JSON.stringify(result));
      // The result is the data alone, if there is some.
      if (result.content === undefined) return { text: stdout, data: result, isError: false };
      return fromResult(result);
    },
  };
}
