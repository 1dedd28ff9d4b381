// Written from tools/*.ts by "deno task generate". Do not edit.

import type { RegistryEntry } from "../../src/registry/registry.ts";

export const entries: readonly RegistryEntry[] = [
  { name: "Bash", aliases: [], load: () => import("./bash.ts") },
  { name: "fs.read", aliases: ["fs_read"], load: () => import("./fs_read.ts") },
];
