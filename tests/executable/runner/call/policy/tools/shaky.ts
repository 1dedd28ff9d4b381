import { defineTool } from "../../../../../../src/runner/registry/define.ts";
import { shakyRun, shakySchema } from "../shaky_run.ts";

export default defineTool({
  name: "shaky",
  title: "Shaky",
  description: "Fails as often as its arguments say",
  category: "utility",
  sideEffect: "network",
  optionality: "optional",
  usageHint: "To test which calls are retried",
  inputSchema: shakySchema,
  examples: [{ description: "No failure", input: { path: "tries" }, expect: "Done at try 1" }],
  permissions: { kinds: ["read", "write"], needs: ({ path }) => [{ name: "write", path }] },
  timeoutMs: 50_000,
  maxRetries: 2,
  run: shakyRun,
});
