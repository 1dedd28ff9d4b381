import { main } from "./src/runner/cli/main.ts";
import { entries } from "./tools/_generated/index.ts";

if (import.meta.main) {
  const code = await main({
    args: Deno.args,
    stdin: Deno.stdin,
    stdout: Deno.stdout,
    stderr: Deno.stderr,
    entries,
    program: {
      // A program of a package registry has no directory. Its Workers may read that of the runtime.
      directory: import.meta.dirname ?? Deno.execPath().replace(/[/\\][^/\\]*$/, ""),
      // The bundle keeps the names of the two entry modules and changes their extension.
      workerModule: import.meta.url.replace(/main\.([jt]s)$/, "worker.$1"),
      isBundled: import.meta.url.endsWith(".js"),
      providers: () => import("./src/toolkit/provider/providers.ts"),
      commands: () => import("./src/toolkit/process/run_command.ts"),
      resources: { list: "resource.list", read: "resource.read" },
      modelTool: "model.answer",
    },
  });
  Deno.exit(code);
}
