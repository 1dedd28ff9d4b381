/** The modules of the project and the imports between them. All paths are relative to the root. */

/** The root of the project. */
export const root = new URL("../../", import.meta.url);

/** A module as `deno info --json` describes it. */
export interface Module {
  specifier: string;
  dependencies?: {
    specifier: string;
    code?: { specifier?: string };
    type?: { specifier?: string };
    isDynamic?: boolean;
  }[];
  /** The declarations of a module in JavaScript. */
  typesDependency?: { dependency?: { specifier?: string } };
}

/** An import between two files of the project. */
export interface Import {
  from: string;
  to: string;
  /** True if the import takes only types. */
  isType: boolean;
}

/** The output of `deno info --json`. */
interface Info {
  modules: Module[];
  redirects: Record<string, string>;
}

let info: Promise<Info> | undefined;

/** Describes all modules of the project in one run of `deno info`, because each run takes long. */
async function describeAll(): Promise<Info> {
  const path = Deno.makeTempFileSync({ suffix: ".ts" });
  try {
    const entries = [...entryModules(), ...LIBRARY];
    const imports = entries.map((entry) => `import ${JSON.stringify(new URL(entry, root).href)};`);
    Deno.writeTextFileSync(path, imports.join("\n"));
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["info", "--json", "--config=deno.json", path],
      cwd: root,
    }).output();
    return JSON.parse(new TextDecoder().decode(stdout));
  } finally {
    Deno.removeSync(path);
  }
}

/** Returns an entry module with every module that it reaches. */
export async function graph(entry: string): Promise<Module[]> {
  const { modules, redirects } = await (info ??= describeAll());
  const byName = new Map(modules.map((module) => [module.specifier, module]));
  const start = byName.get(new URL(entry, root).href);
  if (start === undefined) throw new Error(`The graph lacks ${entry}`);
  const reached = new Set([start]);
  for (const { dependencies = [], typesDependency } of reached) {
    const next = dependencies.flatMap(({ code, type }) => [code?.specifier, type?.specifier]);
    for (const specifier of [...next, typesDependency?.dependency?.specifier]) {
      const module = byName.get(redirects[specifier ?? ""] ?? specifier ?? "");
      if (module !== undefined) reached.add(module);
    }
  }
  return [...reached];
}

/** Returns the path of a module of the project, or undefined for any other module. */
export function inProject(specifier: string | undefined): string | undefined {
  return specifier?.startsWith(root.href) ? specifier.slice(root.href.length) : undefined;
}

/** Lists the TypeScript files below a directory, except the generated ones. */
export function* files(directory: string): Generator<string> {
  for (const entry of Deno.readDirSync(new URL(`${directory}/`, root))) {
    const path = `${directory}/${entry.name}`;
    if (entry.isDirectory && entry.name !== "_generated") yield* files(path);
    else if (/\.tsx?$/.test(entry.name)) yield path;
  }
}

/** The modules that only the library has. The program does not load them. */
const LIBRARY = ["src/api.ts", "library_worker.ts"];

/** Lists the modules that a thread starts with: the two of a call, and those of other Workers. */
export function entryModules(): string[] {
  const workers = [...files("src")].flatMap((path) => {
    const text = Deno.readTextFileSync(new URL(path, root));
    return [...text.matchAll(/new URL\(\s*"(\.[^"]+\.ts)",\s*import\.meta\.url/g)]
      .map(([, worker]) => inProject(new URL(worker!, new URL(path, root)).href)!);
  });
  return ["main.ts", "worker.ts", ...workers];
}

/** Lists every import between files of the project. */
export async function imports(): Promise<Import[]> {
  return (await dependencies([...entryModules(), ...LIBRARY])).flatMap(({ from, code, type }) => {
    const to = inProject(code?.specifier ?? type?.specifier);
    const isType = code?.specifier === undefined;
    return to === undefined || to.startsWith("links/") ? [] : [{ from, to, isType }];
  });
}

/** Lists every `import()` of a file of the program. */
export async function lateImports(): Promise<{ from: string; to: string }[]> {
  return (await dependencies(entryModules())).flatMap(({ from, code, isDynamic }) => {
    const to = inProject(code?.specifier);
    return isDynamic && to !== undefined ? [{ from, to }] : [];
  });
}

async function dependencies(entries: readonly string[]) {
  const modules = (await Promise.all(entries.map(graph))).flat();
  return modules.flatMap(({ specifier, dependencies = [] }) => {
    const from = inProject(specifier);
    return from === undefined ? [] : dependencies.map((each) => ({ from, ...each }));
  });
}
