import { main } from "./src/cli/main.ts";
import { entries } from "./tools/_generated/index.ts";

// The bundle keeps the names of the two entry modules and changes their extension.
const isBundled = !import.meta.url.endsWith(".ts");

const code = await main({
  args: Deno.args,
  stdin: Deno.stdin,
  stdout: Deno.stdout,
  stderr: Deno.stderr,
  entries,
  programFolder: new URL(".", import.meta.url),
  workerModule: new URL(isBundled ? "worker.js" : "worker.ts", import.meta.url),
  isBundled,
});
Deno.exit(code);
