/** The lint rule that refuses the pathname of a module's URL as a path. */
import { expect } from "@std/expect";
import plugin from "../../../../scripts/lint/file_urls.ts";

Deno.test("lint > the URL of a module's file becomes a path by fileURLToPath only", () => {
  const rows: [source: string, faults: number][] = [
    ['const path = new URL("a.txt", import.meta.url).pathname;', 1],
    ["const { length } = new URL(import.meta.url).pathname;", 1],
    ['const path = fileURLToPath(new URL("a.txt", import.meta.url));', 0],
    ["const { pathname } = new URL(request.url);", 0],
    ["const path = new URL(request.url).pathname;", 0],
  ];
  for (const [source, count] of rows) {
    expect([source, Deno.lint.runPlugin(plugin, "a.ts", source).length]).toEqual([source, count]);
  }
});
