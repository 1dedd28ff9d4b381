/** The longest name that the models' APIs take. */
const LONGEST = 64;

/** What the names of tools are made of where they go, and what is enough to find them again. */
export interface Named {
  /** The name. */
  name: string;
  /** Other names that call it. */
  aliases: readonly string[];
}

/**
 * The names of tools as the models' APIs take them: at most 64 of `[A-Za-z0-9_-]`, the
 * first one a letter or `_`. `fs.read` is `fs_read`; where that is another tool's name, or
 * the name is too long, it ends in a hash of the whole name. Takes every tool there is, and
 * gives each tool by its name there, so that the same tools always have the same names.
 */
export function apiNames<Tool extends Named>(tools: Iterable<Tool>): Map<string, Tool> {
  const all = [...tools];
  const taken = new Map(
    all.flatMap((tool) => [tool.name, ...tool.aliases].map((name) => [name, tool])),
  );
  const named = new Map<string, Tool>();
  // A name that is taken as it is, is no other tool's.
  const [exact, others] = [true, false].map((is) =>
    all.filter(({ name }) => isApiName(name) === is)
  );
  for (const tool of exact!) named.set(tool.name, tool);
  for (const tool of others!.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const plain = replaced(tool.name);
    const isFree = plain.length <= LONGEST && !named.has(plain) &&
      (taken.get(plain) ?? tool) === tool;
    named.set(isFree ? plain : hashed(plain, tool.name), tool);
  }
  return named;
}

/** Whether every API takes a name as it is. */
export function isApiName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(name);
}

function replaced(name: string): string {
  const legal = name.replace(/[^A-Za-z0-9_-]/g, "_");
  return /^[A-Za-z_]/.test(legal) ? legal : `_${legal}`;
}

function hashed(plain: string, name: string): string {
  // FNV-1a of 32 bits, twice: names need to differ, and nobody gains by two that do not.
  const hash = [0x811c9dc5, 0x01000193].map((seed) => {
    let state = seed;
    for (const byte of new TextEncoder().encode(name)) {
      state = Math.imul(state ^ byte, 0x01000193) >>> 0;
    }
    return state.toString(16).padStart(8, "0");
  }).join("");
  return `${plain.slice(0, LONGEST - hash.length - 1)}_${hash}`;
}
