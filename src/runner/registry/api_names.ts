import type { RegistryEntry } from "./registered_tool.ts";

/** The longest name that the models' APIs take. */
const MAX_LENGTH = 64;

/** The names of a tool. */
export type ToolNames = Pick<RegistryEntry, "name" | "aliases">;

/**
 * Gives tools names that all models' APIs accept: at most 64 of `[A-Za-z0-9_-]`, beginning with a
 * letter or `_`. `fs.read` becomes `fs_read`. If another tool has that name, or if it is too long,
 * the name ends with a hash of the whole name. The same tools always get the same names. Takes all
 * tools and returns each by its new name.
 */
export function apiNames<Tool extends ToolNames>(tools: Iterable<Tool>): Map<string, Tool> {
  const all = [...tools];
  const taken = new Map(
    all.flatMap((tool) => [tool.name, ...tool.aliases].map((name) => [name, tool])),
  );
  const named = new Map<string, Tool>();
  // Tools with valid names come first, so that no other tool takes such a name.
  const [exact, others] = [true, false].map((is) =>
    all.filter(({ name }) => isApiName(name) === is)
  );
  for (const tool of exact!) named.set(tool.name, tool);
  for (const tool of others!.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const plain = replaceInvalid(tool.name);
    const isFree = (name: string) =>
      name.length <= MAX_LENGTH && !named.has(name) && (taken.get(name) ?? tool) === tool;
    let name = plain;
    for (let salt = tool.name; !isFree(name); salt += "\0") name = addHash(plain, salt);
    named.set(name, tool);
  }
  return named;
}

/** Whether every API accepts a name unchanged. */
export function isApiName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(name);
}

function replaceInvalid(name: string): string {
  const legal = name.replace(/[^A-Za-z0-9_-]/g, "_");
  return /^[A-Za-z_]/.test(legal) ? legal : `_${legal}`;
}

/** The beginning of a name and a hash. It is long enough for all of `mcp__<server>__`. */
function addHash(plain: string, name: string): string {
  // FNV-1a of 32 bits: where two names have the same, the later takes another.
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(name)) {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  }
  const end = hash.toString(16).padStart(8, "0");
  return `${plain.slice(0, MAX_LENGTH - end.length - 1)}_${end}`;
}
