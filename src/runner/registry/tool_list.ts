import type { SideEffect } from "./define.ts";
import type { RegisteredTool, RegistryEntry } from "./registered_tool.ts";

/** The tools that the program was built with. */
export interface ToolList extends Iterable<RegistryEntry> {
  /** The tool of that very name, found before the others are made. */
  named?(name: string): RegistryEntry | undefined;
}

/** A tool of the text: its name, aliases, effect, required capabilities and module. */
type Row = [string, string[], SideEffect, string[], string];

/**
 * A list of tools in a JSON text of rows. Finding one tool by name does not parse the others:
 * creating a thousand objects at each start would take a millisecond. `importTool` imports
 * a tool's module.
 */
export function packedTools(
  text: string,
  importTool: (module: string) => Promise<RegisteredTool>,
): ToolList {
  const entry = ([name, aliases, sideEffect, requires, module]: Row): RegistryEntry => (
    { name, aliases, sideEffect, requires, load: () => importTool(module) }
  );
  return {
    named(name) {
      const start = text.indexOf(`[${JSON.stringify(name)},[`);
      if (start < 0) return undefined;
      const end = text.indexOf('.js"]', start) + '.js"]'.length;
      return entry(JSON.parse(text.slice(start, end)));
    },
    [Symbol.iterator]: () => (JSON.parse(text) as Row[]).map(entry)[Symbol.iterator](),
  };
}
