import { Registry } from "../../../../../src/runner/registry/registry.ts";
import { answerJobs } from "../../../../../src/runner/sandbox/executors/worker.ts";
import { entries } from "./entries.ts";

answerJobs(new Registry(entries), Deno.stdout);
