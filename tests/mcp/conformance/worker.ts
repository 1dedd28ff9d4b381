import { Registry } from "../../../src/registry/registry.ts";
import { serve } from "../../../src/sandbox/inside.ts";
import { entries } from "./entries.ts";

serve(new Registry(entries), Deno.stdout);
