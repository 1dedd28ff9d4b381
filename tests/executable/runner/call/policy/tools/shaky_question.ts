import { defineTool } from "../../../../../../src/runner/registry/define.ts";
import { shakyRun, shakySchema } from "../shaky_run.ts";

export default defineTool({
  name: "shaky_question",
  title: "Shaky question",
  description: "Fails as often as it is told to",
  category: "utility",
  sideEffect: "blocking",
  optionality: "optional",
  usageHint: "To see what is tried again",
  inputSchema: shakySchema,
  examples: [{ description: "No failure", input: { path: "tries" }, expect: "Done at try 1" }],
  permissions: { kinds: ["read", "write"], needs: ({ path }) => [{ name: "write", path }] },
  timeoutMs: 5_000,
  maxRetries: 2,
  run: shakyRun,
});
