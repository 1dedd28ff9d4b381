/** The package for JSR, and programs that install it from a registry of this test. */
// tier: machine
import { expect } from "@std/expect";
import { servePackages } from "../../support/package_registry.ts";
import { deno, root } from "./deno_command.ts";

/** A cache directory for the packages of the test, with a link to the npm packages of this machine. */
async function cacheDirectory(): Promise<string> {
  const { npmCache } = JSON.parse((await deno(["info", "--json"])).out);
  const directory = Deno.makeTempDirSync({ prefix: "toolcall-jsr-" });
  Deno.symlinkSync(npmCache, `${directory}/npm`);
  return directory;
}

const LIBRARY = `
import { createRunner, importTool, simpleTool } from "jsr:@toolcall/toolcall@0.1.0";
const add = simpleTool("add", "Adds.", ({ a, b }) => Number(a) + Number(b));
const reader = await importTool(import.meta.resolve("./reader.ts"));
const fetcher = await importTool(import.meta.resolve("./fetcher.ts"));
const runner = createRunner({
  tools: [add, reader, fetcher],
  permissions: ["--allow-read=a.txt", "--allow-net=" + Deno.args[0]],
});
const results = [];
for (const [name, args] of [
  ["add", { a: 1, b: 2 }],
  ["reader", { path: "a.txt" }],
  ["reader", { path: "reader.ts" }],
  ["reader", { path: "a.txt", instead: "reader.ts" }],
  ["fetcher", { host: Deno.args[0] }],
]) {
  const { content: [block], isError } = await runner.call({ name, arguments: args });
  results.push(isError ? block.text.slice(0, 20) : block.text.slice(0, 9));
}
console.log(results.join("|"));
`;

const READER = `import { simpleTool } from "jsr:@toolcall/toolcall@0.1.0";
export default simpleTool("reader", "Reads.", ({ path, instead }, ctx) =>
  Deno.readTextFileSync(instead ?? ctx.path(path)), {
  permissions: { kinds: ["read"], needs: ({ path }) => [{ name: "read", path }] },
});`;

const FETCHER = `import { simpleTool } from "jsr:@toolcall/toolcall@0.1.0";
export default simpleTool("fetcher", "Fetches.", async ({ host }, ctx) =>
  await (await ctx.fetch("http://" + host + "/@toolcall/toolcall/meta.json")).text(), {
  permissions: { kinds: ["net"], needs: ({ host }) => [{ name: "net", host }] },
});`;

/** Command lines of the program from the registry, and the start of their output. */
const CALLS: readonly (readonly [args: string[], out: string])[] = [
  [["version"], "toolcall 0.1.0\n"],
  [["fs.read", "path=a.txt", "--allow-read=."], '{"content":[{"type":"text","text":"some text"}]'],
  [["fs.read", "path=a.txt"], '{"content":[{"type":"text","text":"Permission denied'],
];

Deno.test("publish > the package is complete, and a program can install it", async () => {
  const dry = await deno(["publish", "--dry-run", "--allow-dirty"]);
  expect(dry.error).toContain("Success Dry run complete");
  expect(dry.error).not.toMatch(/^error/m);
  // Some functions import modules that their callers name. No tool can analyze that.
  expect([...new Set(dry.error.match(/^warning.*/gm))]).toEqual([
    "warning[unanalyzable-dynamic-import]: unable to analyze dynamic import",
  ]);
  const paths = [...dry.error.matchAll(/^ {3}file:\/\/(\S+) \([\d.]+\w+\)$/gm)]
    .map(([, path]) => decodeURI(path!).slice(root.length));
  expect(paths).toContain("src/api.ts");
  expect(paths.filter((path) => path.startsWith("tests/"))).toEqual([]);

  const cache = await cacheDirectory();
  const project = Deno.makeTempDirSync({ prefix: "toolcall-user-" });
  try {
    await using registry = servePackages(paths);
    for (const [name, text] of Object.entries({ LIBRARY, READER, FETCHER })) {
      Deno.writeTextFileSync(`${project}/${name.toLowerCase()}.ts`, text);
    }
    Deno.writeTextFileSync(`${project}/a.txt`, "some text");
    Deno.writeTextFileSync(`${project}/deno.json`, '{"unstable":["worker-options"]}');
    const env = { JSR_URL: registry.url, DENO_DIR: cache };
    const host = new URL(registry.url).host;
    const library = await deno(["run", "-A", "--no-lock", "library.ts", host], {
      cwd: project,
      env,
    });
    const expected = [
      "3",
      "some text",
      "Permission denied: r",
      "Requires read access",
      '{"scope":',
    ];
    expect(library.out).toBe(`${expected.join("|")}\n`);
    // Only the modules of the library are loaded, not the tools.
    expect(registry.requests.filter((path) => path.includes("/tools/"))).toEqual([]);
    const cli = ["run", "-A", "--quiet", "--no-lock", "--unstable-worker-options"];
    for (const [args, expected] of CALLS) {
      const { out, error } = await deno([...cli, "jsr:@toolcall/toolcall@0.1.0/cli", ...args], {
        ...{ cwd: project, env },
      });
      expect({ error, out: out.slice(0, expected.length) }).toEqual({ error: "", out: expected });
    }
  } finally {
    Deno.removeSync(cache, { recursive: true });
    Deno.removeSync(project, { recursive: true });
  }
});
