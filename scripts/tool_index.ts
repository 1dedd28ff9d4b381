/** The module that lists the tools, in one form for the sources and in another for the bundle. */

/** A tool of the list. */
export interface IndexRow {
  /** The name of its file in `tools/`, without the ending. */
  file: string;
  /** The name that a model calls. */
  name: string;
  /** Other names that call it. */
  aliases: readonly string[];
  /** The group of the tool, if it has one. */
  offered?: string;
  /** The strongest effect of a call. */
  sideEffect?: string;
  /** Capabilities of the machine that it requires. */
  requires?: readonly string[];
}

/** The file in the bundle with the declarations of all tools. */
export const DECLARATIONS = "declarations.js";

/** The file of the tool of this name, without its ending. */
export function toolFile(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(/[^A-Za-z0-9]+/g, "_")
    .toLowerCase();
}

/** The list with an `import()` for each tool. `toRoot` leads from it to the project's directory. */
export function indexModule(rows: readonly IndexRow[], toRoot: string): string {
  const lines = rows.map(({ file, name, aliases, offered, sideEffect, requires }) =>
    [
      `  { name: ${JSON.stringify(name)}, aliases: ${JSON.stringify(aliases)},`,
      ...(offered === undefined ? [] : [`offered: ${JSON.stringify(offered)},`]),
      `sideEffect: ${JSON.stringify(sideEffect)},`,
      ...(requires === undefined ? [] : [`requires: ${JSON.stringify(requires)},`]),
      `load: () => import("./${file}.ts") },`,
    ].join(" ")
  );
  return `
import type { RegistryEntry } from "${toRoot}src/runner/registry/registered_tool.ts";

export const entries: readonly RegistryEntry[] = [
${lines.join("\n")}
];
`;
}

/** The same list as one string, with a `.js` file for each tool. */
export function packedIndexModule(rows: readonly IndexRow[], toRoot: string): string {
  const list = rows.map((
    { file, name, aliases, offered = "", sideEffect, requires },
  ) => [name, aliases, offered, sideEffect, requires ?? [], `./${file}.js`]);
  return `
import { packedTools } from "${toRoot}src/runner/registry/tool_list.ts";

export const entries = packedTools(
  ${JSON.stringify(JSON.stringify(list))},
  (path) => import(path),
  "./${DECLARATIONS}",
);
`;
}
