/** toolcall with the tools that the conformance suite calls in place of its own. */
import { main } from "../../../src/cli/main.ts";
import { entries } from "./entries.ts";

const code = await main({
  args: Deno.args,
  stdin: Deno.stdin,
  stdout: Deno.stdout,
  stderr: Deno.stderr,
  entries,
  programFolder: import.meta.dirname!,
  workerModule: new URL("worker.ts", import.meta.url).href,
  isBundled: false,
});
Deno.exit(code);
