/** toolcall with the tools of the policy tests instead of its own. */
import { fileURLToPath } from "node:url";
import { main } from "../../../../../src/runner/cli/main.ts";
import { entries } from "./entries.ts";

const code = await main({
  args: Deno.args,
  stdin: Deno.stdin,
  stdout: Deno.stdout,
  stderr: Deno.stderr,
  entries,
  // A call's thread may read the program's directory, so this is the whole project.
  program: {
    directory: fileURLToPath(new URL("../../../../..", import.meta.url)).replace(/\/$/, ""),
    workerModule: new URL("worker.ts", import.meta.url).href,
    isBundled: false,
    providers: () => import("../../../../../src/toolkit/provider/providers.ts"),
    commands: () => import("../../../../../src/toolkit/process/run_command.ts"),
  },
});
Deno.exit(code);
