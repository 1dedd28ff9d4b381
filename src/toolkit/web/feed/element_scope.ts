/** Names and addresses in an XML document, which the elements around an element decide. */

const NAMESPACES = new Map([
  ["http://www.w3.org/2005/Atom", "atom:"],
  ["http://purl.org/atom/ns#", "atom:"],
  ["http://purl.org/rss/1.0/", ""],
  ["http://my.netscape.com/rdf/simple/0.9/", ""],
  ["http://www.w3.org/1999/02/22-rdf-syntax-ns#", "rdf:"],
  ["http://purl.org/dc/elements/1.1/", "dc:"],
  ["http://purl.org/rss/1.0/modules/content/", "content:"],
]);

/** The most declared prefixes. */
const MAX_PREFIXES = 200;

/** An open element. */
export interface ElementScope {
  /** The element's name; `?:` and its local name in an unknown namespace. */
  name: string;
  /** The address that relative links in the element start from. */
  base: string;
  /** The namespace of each prefix; the default namespace has the empty prefix. */
  prefixes: ReadonlyMap<string, string>;
}

/** The scope of a document at `url`. */
export function documentScope(url: string): ElementScope {
  return { name: "", base: url, prefixes: new Map() };
}

/**
 * The scope of an element inside `outer`, with the prefixes and the `xml:base` that it declares. An
 * invalid base is ignored.
 */
export function elementScope(
  tag: string,
  attributes: Record<string, string>,
  outer: ElementScope,
): ElementScope {
  const prefixes = declaredPrefixes(outer.prefixes, attributes);
  const base = URL.parse(attributes["xml:base"] ?? "", outer.base)?.href ?? outer.base;
  return { name: nameOf(tag, prefixes), base, prefixes };
}

function nameOf(tag: string, prefixes: ElementScope["prefixes"]): string {
  const colon = tag.indexOf(":");
  const [prefix, name] = colon < 0 ? ["", tag] : [tag.slice(0, colon), tag.slice(colon + 1)];
  const uri = prefixes.get(prefix);
  if (uri === undefined) return prefix === "" ? name : tag;
  return `${NAMESPACES.get(uri) ?? "?:"}${name}`;
}

function declaredPrefixes(
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
