import type { SideEffect, ToolGroup } from "./define.ts";
import type { RegisteredTool, RegistryEntry, ToolMetadata } from "./registered_tool.ts";

/** The tools that the program was built with. */
export interface ToolList extends Iterable<RegistryEntry> {
  /** The tool of that very name, found before the others are made. */
  named?(name: string): RegistryEntry | undefined;
}

/** The declarations of tools, by name. */
type Declarations = Readonly<Record<string, ToolMetadata>>;

/** A tool of the text: its name, aliases, group if any, effect, required capabilities and module. */
type Row = [string, string[], ToolGroup | "", SideEffect, string[], string];

/**
 * A list of tools in a JSON text of rows. Finding one tool by name does not parse the others:
 * creating a thousand objects at each start would take a millisecond. `importModule` imports a
 * module of a tool, or the module `all`, which has the declarations of all tools by their names.
 */
export function packedTools(
  text: string,
  importModule: (path: string) => Promise<unknown>,
  all: string,
): ToolList {
  const entry = ([name, aliases, offered, sideEffect, requires, module]: Row): RegistryEntry => {
    let loaded: Promise<RegisteredTool> | undefined;
    const load = () => loaded ??= importModule(module) as Promise<RegisteredTool>;
    const metadata = async () => {
      const { declarations } = await importModule(all) as { declarations: Declarations };
      return declarations[name] ?? (await load()).metadata;
    };
    const group = offered === "" ? {} : { offered };
    return { name, aliases, ...group, sideEffect, requires, load, metadata };
  };
  // A long-lived process asks for the same tools again and again.
  const found = new Map<string, RegistryEntry>();
  return {
    named(name) {
      const known = found.get(name);
      if (known !== undefined) return known;
      const start = text.indexOf(`[${JSON.stringify(name)},[`);
      if (start < 0) return undefined;
      const end = text.indexOf('.js"]', start) + '.js"]'.length;
      const parsed = entry(JSON.parse(text.slice(start, end)));
      found.set(name, parsed);
      return parsed;
    },
    [Symbol.iterator]: () => (JSON.parse(text) as Row[]).map(entry)[Symbol.iterator](),
  };
}
