/** A call reads no more than it needs, however many tools the user has added. */
// tier: machine
import { expect } from "@std/expect";
import { attempts } from "../../../support/attempts.ts";
import { executable, temporaryDirectory, toolcall } from "../../../support/executable.ts";
import { canTrace, type Trace, traceOf } from "../../../support/system_calls.ts";
import { until } from "../../../support/wait.ts";
import { trustFile } from "../../../support/trust.ts";

const ignore = !canTrace();

/** The number of tools in the large case. The first look at a file of a tools directory takes a thread. */
const [MANY, MANY_FILES] = [1_000, attempts(1_000)];

/** The bytes by which two equal runs may differ, because of the streams between threads. */
const SLACK = 16_384;

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);

const properties = { path: { type: "string", description: "The file." } };

function commandTools(count: number): string {
  const tool = {
    description: "Checks the style of one file.",
    run: ["npx", "eslint", "--max-warnings=0", "--", "{path}"],
    inputSchema: { type: "object", properties, required: ["path"] },
  };
  const commands = numbers(count).map((at) => [`tool_${at}`, tool]);
  return JSON.stringify({ commands: Object.fromEntries(commands) });
}

function apiTools(count: number): string {
  const tools = numbers(count).map((at) => [`shop_get_${at}`, `GET /items/${at}`]);
  const api = { document: "shop.json", server: "https://example.com" };
  return JSON.stringify({ apis: { shop: { ...api, tools: Object.fromEntries(tools) } } });
}

function apiDocument(count: number): string {
  const paths = numbers(count).map((at) => [`/items/${at}`, { get: { responses: {} } }]);
  return JSON.stringify({
    ...{ openapi: "3.1.0", info: { title: "Shop", version: "1" } },
    paths: Object.fromEntries(paths),
  });
}

/** Makes a directory for each case, with a file to read. */
function cases(write: (directory: string, count: number) => void, many: number) {
  const directory = temporaryDirectory();
  const path = Deno.realPathSync(directory.path);
  const call = (count: number, ...args: string[]): Trace =>
    traceOf([executable, ...args], { cwd: `${path}/${count}` });
  for (const count of [1, many]) {
    Deno.mkdirSync(`${path}/${count}`);
    Deno.writeTextFileSync(`${path}/${count}/notes.txt`, "Hello\n");
    write(`${path}/${count}`, count);
  }
  const least = (a: Trace, b: Trace) => b.bytes < a.bytes ? b : a;
  const read = (...flags: string[]): [few: Trace, many: Trace] => {
    const readOne = (count: number) => {
      const args = JSON.stringify({ file_path: `${path}/${count}/notes.txt` });
      const trace = call(count, "-A", ...flags, "Read", args);
      expect(trace.stdout).toContain("Hello");
      return trace;
    };
    // The first calls of a configuration write caches, and some calls tidy them up. Calls of other
    // tests share the cache of the code. So the two cases take turns.
    const rounds = numbers(6).map(() => [readOne(1), readOne(many)] as const);
    return [rounds.map(([few]) => few).reduce(least), rounds.map(([, all]) => all).reduce(least)];
  };
  return { path, call, read, [Symbol.dispose]: () => directory[Symbol.dispose]() };
}

/** The modules of the program that a call loads. Only some calls tidy up the cache of the code. */
const modules = ({ opened }: Trace) =>
  new Set(
    opened.filter((path) => /(?<!checkpoint_code_cache)\.js$/.test(path))
      .map((path) => path.replace(/^.*\//, "")),
  );

const named = (paths: readonly string[], text: string | RegExp) =>
  paths.filter((path) => typeof text === "string" ? path.endsWith(text) : text.test(path));

Deno.test({
  name:
    "many tools > a thousand configured tools cost a call of a built-in tool only the bytes of that file",
  ignore,
  fn() {
    const kinds: [name: string, text: (count: number) => string][] = [
      ["commands", commandTools],
      ["apis", apiTools],
    ];
    for (const [name, text] of kinds) {
      using here = cases((directory, count) => {
        Deno.writeTextFileSync(`${directory}/toolcall.json`, text(count));
        Deno.writeTextFileSync(`${directory}/shop.json`, apiDocument(count));
      }, MANY);
      const [few, many] = here.read();
      expect({ name, modules: modules(many) }).toEqual({ name, modules: modules(few) });
      const times = named(few.opened, "/toolcall.json").length;
      expect(times).toBeGreaterThan(0);
      expect({ name, times: named(many.opened, "/toolcall.json").length }).toEqual({ name, times });
      expect({ name, documents: named(many.paths, "/shop.json") }).toEqual({ name, documents: [] });
      const more = (text(MANY).length - text(1).length) * times;
      expect(many.bytes - few.bytes).toBeLessThan(more + SLACK);
      // The trace counts the bytes of the longer text.
      expect(many.bytes - few.bytes).toBeGreaterThan(more - SLACK);
    }
  },
});

Deno.test({
  name: "many tools > a call of a tool of an API reads the API document once",
  ignore,
  fn() {
    using here = cases((directory, count) => {
      Deno.writeTextFileSync(`${directory}/toolcall.json`, apiTools(count));
      trustFile(`${directory}/toolcall.json`);
      Deno.writeTextFileSync(`${directory}/shop.json`, apiDocument(count));
    }, MANY);
    const trace = here.call(MANY, "shop_get_500");
    // The flags do not allow the host.
    expect(trace.code).toBe(6);
    expect(named(trace.opened, "/shop.json")).toHaveLength(1);
  },
});

Deno.test({
  name: "many tools > a call reads at most one file of a tools directory",
  ignore,
  async fn() {
    using here = cases((directory, count) => {
      Deno.mkdirSync(`${directory}/tools`, { mode: 0o700 });
      for (const at of numbers(count)) {
        const path = `${directory}/tools/own_${at}.ts`;
        Deno.writeTextFileSync(
          path,
          `import { simpleTool } from "toolcall";\n` +
            `export default simpleTool("own_${at}", "Says ${at}.", () => "I am ${at}");\n`,
        );
        Deno.chmodSync(path, 0o644);
      }
    }, MANY_FILES);
    // Every call looks at the files of a directory that has changed within two seconds.
    const settled = [1, MANY_FILES].map((count) => `${here.path}/${count}/tools`);
    expect(await until(() => settled.every((path) => ageOf(path) > 2_000))).toBe(true);
    for (const count of [1, MANY_FILES]) {
      const { stdout } = await toolcall(["list", "--tools-dir=tools"], {
        cwd: `${here.path}/${count}`,
      });
      expect(stdout.match(/\nown_\d+ /g)).toHaveLength(count);
    }
    const [few, many] = here.read("--tools-dir=tools");
    expect(modules(many)).toEqual(modules(few));
    expect(named(many.paths, /own_\d+\.ts$/)).toEqual([]);
    expect(many.bytes - few.bytes).toBeLessThan(SLACK);

    const last = MANY_FILES - 1;
    const own = here.call(MANY_FILES, "--tools-dir=tools", `own_${last}`);
    expect(own.stdout).toContain(`I am ${last}`);
    const files = new Set(named(own.paths, /own_\d+\.ts$/).map((path) => path.replace(/.*\//, "")));
    expect(files).toEqual(new Set([`own_${last}.ts`]));
    expect(named(own.opened, /own_\d+\.ts$/)).toHaveLength(1);

    // A tool with another name in the same file is found, and so is a renamed file.
    const call = (name: string) => here.call(MANY_FILES, "--tools-dir=tools", "call", name).stdout;
    const tools = `${here.path}/${MANY_FILES}/tools`;
    const text = Deno.readTextFileSync(`${tools}/own_1.ts`);
    Deno.writeTextFileSync(`${tools}/own_1.ts`, text.replace('"own_1"', '"first"'));
    expect(call("own_1")).toContain("Unknown tool");
    expect(call("first")).toContain("I am 1");
    Deno.renameSync(`${tools}/own_0.ts`, `${tools}/zero.ts`);
    expect(call("own_0")).toContain("I am 0");
  },
});

/** The time since the last change of a file or directory, in milliseconds. */
const ageOf = (path: string) => Date.now() - Deno.statSync(path).ctime!.getTime();

Deno.test("many tools > a list of a thousand command tools is complete", async () => {
  using directory = temporaryDirectory();
  Deno.writeTextFileSync(`${directory.path}/toolcall.json`, commandTools(MANY));
  trustFile(`${directory.path}/toolcall.json`);
  const { stdout } = await toolcall(["list", "--format=json"], { cwd: directory.path });
  expect(stdout.match(/"tool_\d+"/g)!.length).toBeGreaterThanOrEqual(MANY);
});
