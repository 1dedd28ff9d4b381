import { main } from "./src/cli/main.ts";
import { entries } from "./tools/_generated/index.ts";

// The bundle beside which this runs keeps the names and changes the extension.
const workerModule = new URL(
  import.meta.url.endsWith(".ts") ? "worker.ts" : "worker.js",
  import.meta.url,
);

const code = await main({
  args: Deno.args,
  stdin: Deno.stdin,
  stdout: Deno.stdout,
  stderr: Deno.stderr,
  entries,
  programFolder: new URL(".", import.meta.url),
  workerModule,
});
Deno.exit(code);
