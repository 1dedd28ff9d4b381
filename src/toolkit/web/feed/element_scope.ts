/** Names and addresses in an XML document, which the elements around an element decide. */

/** The short prefix of each known namespace, in lower case; elements of RSS have none. */
const NAMESPACES: ReadonlyMap<string, string> = new Map([
  ["http://www.w3.org/2005/atom", "atom:"],
  ["http://purl.org/atom/ns#", "atom:"],
  ["http://purl.org/rss/1.0/", ""],
  ["http://my.netscape.com/rdf/simple/0.9/", ""],
  ["http://www.w3.org/1999/02/22-rdf-syntax-ns#", "rdf:"],
  ["http://purl.org/dc/elements/1.1/", "dc:"],
  ["http://purl.org/dc/terms/", "dcterms:"],
  ["http://purl.org/rss/1.0/modules/content/", "content:"],
  ["http://www.itunes.com/dtds/podcast-1.0.dtd", "itunes:"],
  ["http://www.w3.org/1999/xhtml", "xhtml:"],
  ["http://search.yahoo.com/mrss/", "media:"],
]);

/** The most declared prefixes. */
const MAX_PREFIXES = 200;

/** An open element. */
export interface ElementScope {
  /** The element's name in lower case; `?:` and its local name in an unknown namespace. */
  name: string;
  /** The address that relative links in the element start from. */
  base: string;
  /** The namespace of each prefix; the default namespace has the empty prefix. */
  prefixes: ReadonlyMap<string, string>;
  /** The short prefix of each namespace in this document. */
  namespaces: ReadonlyMap<string, string>;
}

/** The scope of a document at `url`. */
export function documentScope(url: string): ElementScope {
  return { name: "", base: url, prefixes: new Map(), namespaces: NAMESPACES };
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
  const { local, uri } = qualified(tag, prefixes);
  // The channel of CDF is the root, and names its base without a prefix.
  const isCdf = outer.name === "" && local === "channel";
  const given = attributes["xml:base"] ?? (isCdf ? attributes["BASE"] ?? attributes["base"] : "");
  const base = URL.parse(given ?? "", outer.base)?.href ?? outer.base;
  const own = outer.name === "" ? ROOTS.get(local) : undefined;
  // The root decides which namespace is that of the feed, because feeds invent such namespaces.
  const namespaces = own === undefined || outer.namespaces.has(uri)
    ? outer.namespaces
    : new Map([...outer.namespaces, [uri, own]]);
  const known = namespaces.get(uri) ?? (uri === "" ? "" : "?:");
  return { name: known + local, base, prefixes, namespaces };
}

/** The roots whose namespace may be any, and the short prefix of that namespace. */
const ROOTS = new Map([["rss", ""], ["channel", ""], ["feed", "atom:"]]);

function qualified(tag: string, prefixes: ElementScope["prefixes"]) {
  const colon = tag.indexOf(":");
  const [prefix, local] = colon < 0 ? ["", tag] : [tag.slice(0, colon), tag.slice(colon + 1)];
  const uri = prefixes.get(prefix);
  // A prefix without a namespace is part of the name.
  const isUndeclared = uri === undefined && prefix !== "";
  return { local: (isUndeclared ? tag : local).toLowerCase(), uri: (uri ?? "").toLowerCase() };
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
