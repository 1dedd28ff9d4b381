/** toolcall with the tools that the conformance suite calls, instead of its own tools. */
import { fileURLToPath } from "node:url";
import { main } from "../../../src/runner/cli/main.ts";
import { entries } from "./entries.ts";

const code = await main({
  args: Deno.args,
  stdin: Deno.stdin,
  stdout: Deno.stdout,
  stderr: Deno.stderr,
  entries,
  // The root of the project: the thread of a call may read the modules of the program.
  program: {
    directory: fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/, ""),
    workerModule: new URL("worker.ts", import.meta.url).href,
    isBundled: false,
    providers: () => import("../../../src/toolkit/provider/providers.ts"),
    commands: () => import("../../../src/toolkit/process/run_command.ts"),
    resources: { list: "resource.list", read: "resource.read" },
  },
});
Deno.exit(code);
