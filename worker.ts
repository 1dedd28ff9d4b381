import { senderEntry } from "./src/runner/api_tools/worker_request.ts";
import { Registry } from "./src/runner/registry/registry.ts";
import { answerJobs } from "./src/runner/sandbox/executors/worker.ts";
import { entries } from "./tools/_generated/index.ts";

const registry = new Registry(entries);
registry.registerLater(() => [senderEntry]);
answerJobs(registry, Deno.stdout, async (parts) => {
  const { lineAnswerer } = await import("./src/runner/submit/answer_lines.ts");
  return lineAnswerer(parts);
});
