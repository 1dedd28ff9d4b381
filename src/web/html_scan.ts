/** A look at HTML that takes time in proportion to its length, whatever it holds. */

/** Elements that hold no text for a reader. */
const SILENT = new Set(["script", "style", "noscript", "template", "svg", "iframe", "head"]);

/** Of these everything up to the end tag is text to a parser. */
const RAW = new Set(["script", "style", "textarea", "title", "iframe", "noscript"]);

/** Elements that have no end. */
const VOID = new Set(
  "area base br col embed hr img input link meta param source track wbr".split(" "),
);

/** Elements whose end is often left out. */
const UNENDED = new Set(
  "p li dt dd tr td th thead tbody tfoot option optgroup colgroup rt rp".split(" "),
);

/** Elements that do not break a line. */
const INLINE = new Set(
  ("a abbr b bdi bdo big cite code data del dfn em font i ins kbd label mark q s samp small " +
    "span strong sub sup time tt u var wbr").split(" "),
);

/** A tag, and the text before it. */
interface Tag {
  text: string;
  name: string;
  isEnd: boolean;
}

/** How deep elements stand in each other, at most; those whose end is often left out count a tenth. */
export function nestingOf(html: string): number {
  let [depth, loose, most] = [0, 0, 0];
  for (const { name, isEnd } of tagsOf(html)) {
    if (VOID.has(name)) continue;
    const step = isEnd ? -1 : 1;
    if (UNENDED.has(name)) loose = Math.max(0, loose + step);
    else depth = Math.max(0, depth + step);
    most = Math.max(most, depth + loose / 10);
  }
  return Math.floor(most);
}

/** The text of HTML without any layout but lines. */
export function plainText(html: string): string {
  const parts: string[] = [];
  let silent: string | undefined;
  for (const { text, name, isEnd } of tagsOf(html)) {
    if (silent === undefined) parts.push(text);
    if (silent === undefined && !isEnd && SILENT.has(name)) silent = name;
    else if (silent === name && isEnd) silent = undefined;
    if (!INLINE.has(name)) parts.push("\n");
  }
  return decodeEntities(parts.join("")).replace(/[^\S\n]+/g, " ").replace(/ ?\n[ \n]*/g, "\n")
    .trim();
}

/** Every tag in turn; a last one without a name carries the text at the end. */
function* tagsOf(html: string): Generator<Tag> {
  const opening = /<(?:!--|[!?]|(\/?)([a-z][^\s/>]{0,40}))/gi;
  let from = 0;
  for (let match; (match = opening.exec(html)) !== null;) {
    const text = html.slice(from, match.index);
    const name = match[2]?.toLowerCase() ?? "";
    const isComment = match[0] === "<!--";
    const end = html.indexOf(isComment ? "-->" : ">", opening.lastIndex);
    from = end < 0 ? html.length : end + (isComment ? 3 : 1);
    yield { text, name, isEnd: match[1] === "/" };
    if (match[1] === "" && RAW.has(name)) {
      const close = new RegExp(`</${name}`, "gi");
      close.lastIndex = from;
      const closing = close.exec(html);
      const raw = closing === null ? html.length : closing.index;
      yield { text: html.slice(from, raw), name: "", isEnd: false };
      from = raw;
    }
    opening.lastIndex = from;
  }
  yield { text: html.slice(from), name: "", isEnd: false };
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
};

function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi,
    (whole, ten, hex, name) => {
      if (name !== undefined) return Object.hasOwn(ENTITIES, name) ? ENTITIES[name]! : whole;
      const code = ten === undefined ? parseInt(hex, 16) : Number(ten);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}
