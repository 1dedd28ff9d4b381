/**
 * Modules that await while they load, as modules with WebAssembly do. Two `import()` of such a module
 * at the same time can end the runtime, so there is one way to load them: `late()`.
 */
import { expect } from "@std/expect";
import { late } from "../../src/base/async/late.ts";
import { entryModules, files, root } from "../support/module_graph.ts";

/** The text of each module, by its path. */
type Texts = ReadonlyMap<string, string>;

/** Whether a module awaits outside of its functions, which have their code indented. */
const awaits = (text: string) =>
  text.replaceAll(/"[^"\n]*"/g, '""').split("\n").some((line) =>
    /^(?:(?:export )?(?:const|let|var) |await |\()/.test(line) &&
    /\bawait\b/.test(line) && !/\basync\b/.test(line)
  );

/** The modules that await while they load, each with the places that load it in a wrong way. */
function wrongLoads(texts: Texts, entries: readonly string[]): string[] {
  const slow = [...texts].filter(([path, text]) =>
    awaits(text) && !entries.includes(path) || packagesOf(text).some(isSlowPackage)
  );
  return slow.flatMap(([path]) => {
    const loads = [...texts].flatMap(([from, text]) => loadsOf(path, from, text));
    const wrong = loads.filter(({ how }) => how !== "late").map(({ from, how }) =>
      `${from} loads ${path} by ${how}`
    );
    return loads.length > 1 ? [...wrong, `${path} is loaded in ${loads.length} places`] : wrong;
  });
}

/** The packages that a module imports for their values. */
function packagesOf(text: string): string[] {
  return [...text.matchAll(/^import (?!type\b)[^;]*? from "([^."][^"]*)"/gm)].map(([, name]) =>
    name!
  );
}

const slowPackages = new Map<string, boolean>();

function isSlowPackage(name: string): boolean {
  let isSlow = slowPackages.get(name);
  if (isSlow === undefined) {
    const url = name.startsWith("node:") ? "" : import.meta.resolve(name);
    isSlow = url.startsWith("file:") && awaits(Deno.readTextFileSync(new URL(url)));
    slowPackages.set(name, isSlow);
  }
  return isSlow;
}

/** How the module `from` loads the module `path`. */
function loadsOf(path: string, from: string, text: string): { from: string; how: string }[] {
  const named = [...text.matchAll(/(^import (?!type\b)[^;]*?from |import\(\s*)"(\.[^"]+)"/gm)];
  return named
    .filter(([, , name]) => new URL(name!, new URL(from, root)).href === new URL(path, root).href)
    .map(({ 1: how, index }) => {
      if (!how!.startsWith("import(")) return { from, how: "import" };
      const isLate = /\blate\(\(\) =>\s*$/.test(text.slice(0, index));
      return { from, how: isLate ? "late" : "import()" };
    });
}

/** The places that load a file of a package in a wrong way: the bundle makes a module of it that awaits. */
function wrongBytes(texts: Texts, entries: readonly string[]): string[] {
  return [...texts].filter(([path]) => !entries.includes(path)).flatMap(([path, text]) =>
    [...text.matchAll(/loadBytes\(\s*"([^"]+)"/g)]
      .filter(({ index }) => !/\blate\((?:async )?\(\) =>[^;]*?$/.test(text.slice(0, index)))
      .map(([, file]) => `${path} loads ${file}`)
  );
}

Deno.test("architecture > modules that await while they load are loaded through late()", () => {
  const paths = [...files("src"), ...files("tools"), "main.ts", "worker.ts"];
  const texts = new Map(paths.map((path) => [path, Deno.readTextFileSync(new URL(path, root))]));
  expect([...wrongLoads(texts, entryModules()), ...wrongBytes(texts, entryModules())]).toEqual([]);
  // One of them is there, so the search finds what it looks for.
  expect(texts.get("src/runner/mcp/client/linear_pattern.ts")).toMatch(/from "rregex"/);
});

Deno.test("architecture > a wrong way to load such a module is found", () => {
  const slow = "export const table = await load();\n";
  const pattern = 'import { RRegex } from "rregex";\nexport const r = RRegex;\n';
  const rows: [texts: Record<string, string>, count: number][] = [
    [{ "src/a.ts": slow, "src/b.ts": 'const a = late(() => import("./a.ts"));' }, 0],
    [{ "src/a.ts": slow, "src/b.ts": 'import { table } from "./a.ts";' }, 1],
    [{
      "src/a.ts": 'const code = await loadBytes("npm:a@1/a.wasm");',
      "src/b.ts": 'import { code } from "./a.ts";',
    }, 2],
    [{ "src/a.ts": slow, "src/b.ts": 'const { table } = await import("./a.ts");' }, 1],
    [{ "src/a.ts": pattern, "src/b.ts": '  const { r } = await import("./a.ts");' }, 1],
    [{ "src/a.ts": 'import type { A } from "rregex";', "src/b.ts": 'import "./a.ts";' }, 0],
    [{
      "src/a.ts": slow,
      "src/b.ts": 'const a = late(() => import("./a.ts"));',
      "src/c.ts": 'const a = late(() => import("./a.ts"));',
    }, 1],
    [{ "src/a.ts": '  load: () => loadBytes("npm:a@1/a.wasm"),' }, 1],
    [{ "src/a.ts": '  load: late(() => grammar(loadBytes("npm:a@1/a.wasm"))),' }, 0],
  ];
  for (const [texts, count] of rows) {
    const all = new Map(Object.entries(texts));
    const found = [...wrongLoads(all, []), ...wrongBytes(all, [])];
    expect([texts, found.length]).toEqual([texts, count]);
  }
});

Deno.test("late > callers at the same time share one load, and a failure is not kept", async () => {
  let loads = 0;
  const load = late(() => ++loads === 1 ? Promise.reject(new Error("no")) : Promise.resolve(loads));
  const first = await Promise.allSettled([load(), load()]);
  expect(first.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await Promise.all([load(), load()])).toEqual([2, 2]);
  expect(loads).toBe(2);
});
