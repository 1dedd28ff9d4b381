/** The names of elements in feeds, whatever prefixes a feed gives their namespaces. */

const NAMESPACES = new Map([
  ["http://www.w3.org/2005/Atom", "atom:"],
  ["http://purl.org/atom/ns#", "atom:"],
  ["http://purl.org/rss/1.0/", ""],
  ["http://my.netscape.com/rdf/simple/0.9/", ""],
  ["http://www.w3.org/1999/02/22-rdf-syntax-ns#", "rdf:"],
  ["http://purl.org/dc/elements/1.1/", "dc:"],
  ["http://purl.org/rss/1.0/modules/content/", "content:"],
]);

/** How deep elements may lie, and how many prefixes may be declared. */
const [MAX_DEEP, MAX_PREFIXES] = [1000, 200];

/** What gives the elements of a document their usual names, from their tags in order. */
export interface FeedNames {
  /** The name of an element that begins: of another namespace, `?:` and its own. */
  open(tag: string, attributes: Record<string, string>): string;
  /** To be called where it ends. */
  close(): void;
}

/** For a document that begins. Its `open` throws for elements more than a thousand deep. */
export function feedNames(): FeedNames {
  const scopes: ReadonlyMap<string, string>[] = [new Map()];
  return {
    open(tag, attributes) {
      if (scopes.length > MAX_DEEP) {
        throw new Error(`Cannot read the feed: its elements lie more than ${MAX_DEEP} deep`);
      }
      const scope = declared(scopes.at(-1)!, attributes);
      scopes.push(scope);
      const colon = tag.indexOf(":");
      const [prefix, name] = colon < 0 ? ["", tag] : [tag.slice(0, colon), tag.slice(colon + 1)];
      const uri = scope.get(prefix);
      if (uri === undefined) return prefix === "" ? name : tag;
      return `${NAMESPACES.get(uri) ?? "?:"}${name}`;
    },
    close: () => void scopes.pop(),
  };
}

function declared(
  outer: ReadonlyMap<string, string>,
  attributes: Record<string, string>,
): ReadonlyMap<string, string> {
  let scope: Map<string, string> | undefined;
  for (const [name, uri] of Object.entries(attributes)) {
    if (name !== "xmlns" && !name.startsWith("xmlns:")) continue;
    scope ??= new Map(outer);
    if (scope.size < MAX_PREFIXES) scope.set(name.slice(6), uri);
  }
  return scope ?? outer;
}
