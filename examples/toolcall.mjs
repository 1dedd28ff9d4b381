import { spawnSync } from "node:child_process";

/**
 * Runs toolcall and returns the JSON that it prints. A call that fails is a result too, which the
 * model gets. Throws when toolcall prints no JSON, with what it prints on stderr.
 */
export function toolcall(args, input) {
  const { error, stdout, stderr } = spawnSync("toolcall", args, { input, encoding: "utf8" });
  if (error) throw error;
  if (!stdout) throw new Error(stderr);
  return JSON.parse(stdout);
}
