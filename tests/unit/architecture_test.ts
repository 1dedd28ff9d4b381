/** The architecture rules, checked on the module graph and the files. */
import { expect } from "@std/expect";
import { basename, dirname } from "node:path";
import { entries } from "../../tools/_generated/index.ts";
import {
  entryModules,
  files,
  graph,
  imports,
  inProject,
  lateImports,
  type Module,
  root,
} from "../support/module_graph.ts";

/** The layer of a file. Each file outside of the layers is its own layer. */
const layerOf = (path: string) => path.match(/^src\/[^/]+|^tools\/_generated|^tools|^.+/)![0];

/** The layers and files that each layer may import, besides itself. */
const layers: Readonly<Record<string, readonly string[]>> = {
  "main.ts": ["src/runner", "src/toolkit", "tools/_generated"],
  "worker.ts": ["src/runner", "tools/_generated"],
  "library_worker.ts": ["src/runner"],
  "src/api.ts": ["src/runner", "src/base"],
  "tools/_generated": ["tools"],
  tools: ["src/toolkit", "src/base"],
  "src/toolkit": ["src/base"],
  "src/runner": ["src/base", "toolcall.schema.json"],
  "src/base": ["deno.json"],
};

/** The modules of the registry that declare a tool. Tools may use them, not only their types. */
const DECLARE = /\/(define|simple_tool|question_schema|setting_definitions)\.ts$/;

Deno.test("architecture > imports go one way: base, runner or toolkit, tools", async () => {
  const wrong = (await imports()).filter(({ from, to, isType }) => {
    const [layer, other] = [layerOf(from), layerOf(to)];
    if (layer === other || layers[layer]?.includes(other)) return false;
    if (!/^src\/toolkit|^tools/.test(layer) || !to.startsWith("src/runner/registry/")) return true;
    return !isType && !(layer === "tools" && DECLARE.test(to));
  });
  expect(wrong).toEqual([]);
});

/** The files of a nested directory that the rest of the layer may import. */
const PUBLIC_FILES: Readonly<Record<string, readonly string[]>> = {
  "src/runner/mcp/client": [
    ...[
      "compile_schema",
      "mcp_server",
      "mcp_servers",
      "server_config",
      "server_program",
      "server_requests",
      "servers_config",
    ],
    "tool_names",
  ],
  "src/runner/mcp/oauth": [
    ...["callback", "login", "logout", "oauth_config", "origin_guard"],
    ...["remote_config", "token_record", "token_store"],
  ],
  "src/runner/mcp/install": ["clients", "find_client", "install"],
  "src/runner/mcp/kept": [
    ...["keep_order", "kept_directory", "kept_servers", "kept_transport", "server_keeper"],
  ],
  "src/runner/mcp/server": [
    ...["http", "http_guard", "offers", "prompt_directory", "stdio", "tools_call"],
    "upstream_names",
  ],
  "src/runner/sandbox/executors": [
    ...["context", "embedded", "environment", "executor", "executor_for", "module_worker"],
    ...["own_process", "prints", "private_directory", "process", "program_host"],
    ...[
      "program_jobs",
      "programs",
      "reader",
      "sandboxed",
      "spawn",
      "subprocess",
      "supervise",
      "worker_pool",
    ],
  ],
  "src/runner/sandbox/linux": [
    "bubblewrap",
    "kernel",
    "mount_namespace",
    "proc",
    "write_directories",
  ],
  "src/runner/sandbox/policy": [
    ...[
      "addresses",
      "ceiling",
      "certificates",
      "closed_paths",
      "denial_text",
      "grants",
      "hosts",
      "intersect",
      "may_write",
      "narrow",
      "own_paths",
    ],
    ...["paths", "program_rights", "programs", "read_places", "scope"],
  ],
  "src/runner/schema/definitions": ["apis", "formats", "lint", "mcp", "vendor_tools"],
  "src/toolkit/files/pdf": ["pdf_text"],
  "src/toolkit/files/read": ["byte_source", "file_kind"],
  "src/toolkit/web/fetch": ["decode_text", "fetch_page", "page_url", "read_body"],
  "src/toolkit/web/search": ["search_setup"],
};

Deno.test("architecture > a file imports only public files of a distant nested directory", async () => {
  const used = new Set<string>();
  const wrong = (await imports()).filter(({ from, to }) => {
    const outer = dirname(dirname(to));
    // Another test checks imports between layers.
    if (layerOf(from) !== layerOf(to) || outer === layerOf(to) || from.startsWith(`${outer}/`)) {
      return false;
    }
    used.add(to);
    return PUBLIC_FILES[dirname(to)]?.includes(basename(to, ".ts")) !== true;
  });
  expect(wrong).toEqual([]);
  // A file leaves the list when no distant file imports it any more.
  const unused = Object.entries(PUBLIC_FILES).flatMap(([directory, names]) =>
    names.map((name) => `${directory}/${name}.ts`).filter((path) => !used.has(path))
  );
  expect(unused).toEqual([]);
});

Deno.test("architecture > a tool imports no other tool", async () => {
  const wrong = (await imports()).filter(({ from, to }) =>
    layerOf(from) === "tools" && layerOf(to) === "tools"
  );
  expect(wrong).toEqual([]);
});

Deno.test("architecture > imports have no cycle", async () => {
  const edges = new Map<string, string[]>();
  for (const { from, to } of await imports()) edges.set(from, [...edges.get(from) ?? [], to]);
  const done = new Set<string>();
  const visit = (node: string, path: string[]): string[] | undefined => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node];
    if (done.has(node)) return undefined;
    for (const next of edges.get(node) ?? []) {
      const cycle = visit(next, [...path, node]);
      if (cycle !== undefined) return cycle;
    }
    done.add(node);
    return undefined;
  };
  for (const node of edges.keys()) {
    const cycle = visit(node, []);
    expect(cycle).toBeUndefined();
  }
});

/** The name, without its ending, of the two files of a tool. */
const fileOf = (name: string) =>
  name.replaceAll(".", "_").replace(/([a-z])([A-Z])/g, "$1_$2").toLowerCase();

/** The modules that the start modules load without dynamic imports. */
function staticClosure(modules: Module[], starts: string[]): string[] {
  const byName = new Map(modules.map((module) => [module.specifier, module]));
  const seen = new Set<string>();
  const visit = (specifier: string) => {
    if (seen.has(specifier)) return;
    seen.add(specifier);
    const module = byName.get(specifier);
    // The graph lacks only the modules of Node and the files of packages.
    if (module === undefined && inProject(specifier) !== undefined) {
      throw new Error(`The graph lacks ${specifier}`);
    }
    for (const { code, isDynamic } of module?.dependencies ?? []) {
      if (!isDynamic && code?.specifier !== undefined) visit(code.specifier);
    }
  };
  for (const start of starts) visit(new URL(start, root).href);
  return [...seen];
}

Deno.test("architecture > a cold call loads no package, no validator library and no Node module", async () => {
  const modules = [...await graph("main.ts"), ...await graph("worker.ts")];
  const tools = entries.map(({ name }) => fileOf(name)).sort();
  expect(tools.map((tool) => `tools/${tool}.ts`)).toEqual([...files("tools")].sort());
  for (const tool of tools) {
    const loaded = staticClosure(modules, [
      ...["main.ts", "worker.ts", `tools/_generated/${tool}.ts`, `tools/${tool}.ts`],
    ]);
    const foreign = loaded.filter((specifier) =>
      !specifier.startsWith(root.href) && !/deno-std\/1\.4\.0\/path\//.test(specifier) &&
      !specifier.startsWith("npm:/deno-std@")
    );
    expect({ tool, foreign }).toEqual({ tool, foreign: [] });
    expect(loaded.some((specifier) => specifier.endsWith("/src/runner/call/execute.ts"))).toBe(
      true,
    );
    // Calls load these modules only when they need them: dialects of models' APIs, repair and typing
    // of arguments, telemetry, and questions and output at a terminal.
    const late =
      /\/runner\/(cli\/arguments\/\w+|dialect\/(openai|responses|anthropic|model_apis|json_text)|call\/(validate|repair)|telemetry\/\w+|ask\/\w+|cli\/(call_on_terminal|prompt|verbose|print\/\w+))\.ts$/;
    expect({ tool, late: loaded.filter((specifier) => late.test(specifier)) })
      .toEqual({ tool, late: [] });
  }
});

Deno.test("architecture > only the listed files import Node modules, which are slow to load", () => {
  const users = [...files("src"), ...files("tools")].filter((path) =>
    Deno.readTextFileSync(new URL(path, root)).includes('from "node:')
  );
  // SQLite is a Node module. Only Node modules resolve a name with the system's resolver, and send a
  // request to a given address.
  expect(users.sort()).toEqual([
    "src/runner/cli/checkpoint_code_cache.ts",
    "src/runner/mcp/oauth/origin_guard.ts",
    // Only Node modules can start TLS after the first line of a server.
    "src/runner/remote/tls_socket.ts",
    ...["network_worker", "pinned_request"].map((name) =>
      `src/runner/sandbox/executors/${name}.ts`
    ),
    "src/runner/state/database.ts",
    // Only a Node module can remove types.
    "src/runner/tools_directory/compile_module.ts",
  ]);
});

/** Files that are tables: a limit on their size would cut them at any row. */
const TABLES = [
  "src/runner/cli/flags.ts",
  "src/runner/cli/print/command_pages.ts",
  "src/runner/compat/compat_tools.ts",
  "src/runner/ui/page/page_types.ts",
  ...files("src/toolkit/navigate/languages"),
];

const lines = (path: string) => Deno.readTextFileSync(new URL(path, root)).split("\n").length - 1;

/** Files whose exports are one concept may have 300 lines. */
const ONE_CONCEPT = [
  ...["native_files", "system_file"].map((name) => `src/base/fs/${name}.ts`),
  ...["connection", "mcp_server"].map((name) => `src/runner/mcp/client/${name}.ts`),
  "src/runner/mcp/kept/server_keeper.ts",
  "src/runner/mcp/server/line_transport.ts",
  ...["define", "registry"].map((name) => `src/runner/registry/${name}.ts`),
  ...[
    "core_runner",
    "core_worker",
    "durable_runner",
    "durable_worker",
    "remote_tasks",
    "subjects",
    "task_runs",
    "worker_calls",
  ].map(
    (name) => `src/runner/remote/${name}.ts`,
  ),
  "src/runner/submit/submission.ts",
  ...["pinned_request", "supervise", "worker_pool"].map((name) =>
    `src/runner/sandbox/executors/${name}.ts`
  ),
  ...["kernel", "mount_namespace", "native_starter", "seccomp", "system_call_table"].map((name) =>
    `src/runner/sandbox/linux/${name}.ts`
  ),
  ...["paths", "program_rights"].map((name) => `src/runner/sandbox/policy/${name}.ts`),
];

Deno.test("architecture > no file has more lines than its limit", () => {
  const over = (paths: Iterable<string>, most: number) =>
    [...paths].filter((path) => lines(path) > most).map((path) => `${path}: ${lines(path)}`);
  const source = [...files("src")].filter((path) => !TABLES.includes(path));
  expect(over(["main.ts", "worker.ts", "library_worker.ts"], 30)).toEqual([]);
  expect(over(files("tools"), 150)).toEqual([]);
  expect(over(source.filter((path) => !ONE_CONCEPT.includes(path)), 200)).toEqual([]);
  expect(over(ONE_CONCEPT, 300)).toEqual([]);
  // A file leaves the list when it does not need the exception any more.
  expect(ONE_CONCEPT.filter((path) => lines(path) <= 200)).toEqual([]);
  const sizes = source.map(lines).sort((a, b) => a - b);
  expect(sizes[Math.floor(sizes.length / 2)]).toBeLessThanOrEqual(100);
});

Deno.test("architecture > a file of less than 30 lines has two importers or exports a type", async () => {
  const all = await imports();
  const late = new Set((await lateImports()).map(({ to }) => to));
  const threads = entryModules();
  const fragments = [...files("src")].filter((path) => {
    const isExempt = TABLES.includes(path) || late.has(path) || threads.includes(path);
    if (lines(path) >= 30 || isExempt) return false;
    const importers = new Set(all.filter(({ to }) => to === path).map(({ from }) => from));
    if (importers.size >= 2) return false;
    const text = Deno.readTextFileSync(new URL(path, root));
    return !/^export (interface|type|class|abstract class) /m.test(text);
  });
  expect(fragments).toEqual([]);
});

Deno.test("architecture > only main.ts uses the standard streams, the arguments and the exit of the process", () => {
  for (const path of [...files("src"), ...files("tools")]) {
    // This file is the main module of another process.
    if (path === "src/runner/telemetry/exporter.ts") continue;
    const text = Deno.readTextFileSync(new URL(path, root));
    const found = text.match(/Deno\.(args|stdin|stdout|stderr|exit)\b|console\.\w+/g)
      ?.filter((each) => !text.includes(` * ${each}`) && each !== "console.assert") ?? [];
    expect({ path, found }).toEqual({ path, found: [] });
  }
});

Deno.test("architecture > a validator imports nothing", async () => {
  const names = [...Deno.readDirSync(new URL("tools/_generated/", root))]
    .map(({ name }) => name)
    .filter((name) => name.endsWith(".validate.js"));
  expect(names.length).toBeGreaterThanOrEqual(9);
  for (const name of names) {
    const modules = await graph(`tools/_generated/${name}`);
    expect(modules.map(({ dependencies = [] }) => dependencies)).toEqual([[]]);
  }
});

Deno.test("architecture > a tool that runs in the engine's thread opens files only with synchronous calls", async () => {
  // The kernel's sandbox does not cover older threads, and these execute asynchronous calls.
  const asynchronous =
    /Deno\.(open|create|read|stat|lstat|write|rename|remove|mkdir|readDir|readLink|readTextFile|readFile|writeFile|writeTextFile|realPath|chmod|chown|copyFile|link|symlink|truncate|utime|makeTempDir|makeTempFile)\(|from "node:/g;
  const modules = await graph("main.ts");
  const reach = new Map(modules.map(({ specifier, dependencies = [] }) => [
    specifier,
    dependencies.flatMap(({ code }) => code?.specifier ?? []),
  ]));
  for (const { name, load } of entries) {
    if ((await load()).metadata.bounded !== true) continue;
    const seen = new Set<string>();
    const visit = (specifier: string): void => {
      if (seen.has(specifier) || inProject(specifier) === undefined) return;
      seen.add(specifier);
      reach.get(specifier)?.forEach(visit);
    };
    visit(new URL(`tools/${fileOf(name)}.ts`, root).href);
    expect(seen.size).toBeGreaterThan(3);
    for (const specifier of seen) {
      const found = Deno.readTextFileSync(new URL(specifier)).match(asynchronous) ?? [];
      expect({ name, specifier, found }).toEqual({ name, specifier, found: [] });
    }
  }
});

const sources = [
  "main.ts",
  "worker.ts",
  "library_worker.ts",
  ...["src", "tools", "scripts"].flatMap((each) => [...files(each)]),
];

Deno.test("architecture > no file is a barrel or a catch-all", () => {
  for (const path of sources) {
    expect(path).not.toMatch(/\/(mod|index|utils|common|helpers|misc)\.ts$/);
    expect(path).toMatch(/^[a-z0-9_/]+\.tsx?$/);
  }
});

Deno.test("architecture > each use of the type any has a reason for the linter", () => {
  const any = /: any\b|\bas any\b|<any\b|[,|=] any[>;,)]/;
  const found = sources.flatMap((path) => {
    const all = Deno.readTextFileSync(new URL(path, root)).split("\n");
    return all
      .filter((line, at) =>
        any.test(line) && !all[at - 1]?.includes("deno-lint-ignore no-explicit-any -- ")
      )
      .map((line) => `${path}: ${line.trim()}`);
  });
  expect(found).toEqual([]);
});

Deno.test("architecture > no dynamic import loads a module that a cold call imports statically", async () => {
  // The bundler puts each dynamic import into a separate file. A cold call loads a module that it also
  // imports statically, so the dynamic import saves nothing.
  const modules = [...await graph("main.ts"), ...await graph("worker.ts")];
  const cold = new Set(staticClosure(modules, ["main.ts", "worker.ts"]));
  const late = await lateImports();
  expect(late.length).toBeGreaterThan(100);
  expect(late.filter(({ to }) => cold.has(new URL(to, root).href))).toEqual([]);
});

Deno.test("architecture > instanceof recognizes every exported error in each bundled file", () => {
  const plain = [...files("src")].filter((path) =>
    path !== "src/base/errors.ts" &&
    /export (abstract )?class \w+ extends Error\b/.test(Deno.readTextFileSync(new URL(path, root)))
  );
  expect(plain).toEqual([]);
  for (const path of files("src")) {
    const text = Deno.readTextFileSync(new URL(path, root));
    const pattern =
      /class (\w+) extends NamedError \{(?:\s*\/\*\*.*\*\/)?\s*static override readonly errorName = "(\w+)"/g;
    const named = [...text.matchAll(pattern)];
    expect({ path, count: named.length })
      .toEqual({ path, count: text.match(/extends NamedError \{/g)?.length ?? 0 });
    for (const [, name, errorName] of named) expect(errorName).toBe(name);
  }
});

/** Exported names that two files define, with the reason. */
const DEFINED_TWICE: Readonly<Record<string, string>> = {
  ENTER: "the same machine code for two processors",
  RUN: "the same machine code for two processors",
};

Deno.test("architecture > one file defines each exported name", () => {
  const definition =
    /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|const|let|enum|interface|type) (\w+)/gm;
  const places = new Map<string, Set<string>>();
  for (const path of files("src")) {
    const text = Deno.readTextFileSync(new URL(path, root));
    for (const [, name] of text.matchAll(definition)) {
      places.set(name!, (places.get(name!) ?? new Set()).add(path));
    }
  }
  expect(places.size).toBeGreaterThan(500);
  const twice = new Map([...places].filter(([, paths]) => paths.size > 1));
  expect([...twice].filter(([name]) => !Object.hasOwn(DEFINED_TWICE, name))).toEqual([]);
  // A name leaves the list when one file defines it.
  expect(Object.keys(DEFINED_TWICE).filter((name) => !twice.has(name))).toEqual([]);
});
