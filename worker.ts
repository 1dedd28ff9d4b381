import { Registry } from "./src/runner/registry/registry.ts";
import { answerJobs } from "./src/runner/sandbox/executors/worker.ts";
import { entries } from "./tools/_generated/index.ts";

answerJobs(new Registry(entries), Deno.stdout, async (parts) => {
  const { lineAnswerer } = await import("./src/runner/submit/answer_lines.ts");
  return lineAnswerer(parts);
});
