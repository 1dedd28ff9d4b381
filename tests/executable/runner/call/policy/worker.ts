import { Registry } from "../../../../../src/runner/registry/registry.ts";
import { serve } from "../../../../../src/runner/sandbox/executors/inside.ts";
import { entries } from "./entries.ts";

serve(new Registry(entries), Deno.stdout);
