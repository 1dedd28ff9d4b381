import { Registry } from "./src/registry/registry.ts";
import { serve } from "./src/sandbox/inside.ts";
import { entries } from "./tools/_generated/index.ts";

serve(new Registry(entries), Deno.stdout);
