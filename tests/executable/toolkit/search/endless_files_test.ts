/** Devices in place of ignore files: ripgrep would read them forever. */
// tier: machine
import { call } from "../../../support/executable.ts";
import { testSearches } from "./special_files.ts";

testSearches("a symlink to an endless device", async (path) => {
  await Deno.symlink("/dev/zero", path);
  return undefined;
}, async (calls, root) => {
  const results = [];
  for (const { name, arguments: args } of calls) {
    results.push(await call(name, args, { flags: ["--allow-all"], cwd: root }));
  }
  return results;
}, false);
