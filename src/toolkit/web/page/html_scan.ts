/** Scans HTML in time proportional to its length. */

/** Elements without text for readers. */
const SILENT = new Set(["script", "style", "title", "iframe", "noscript", "template", "svg"]);

/** Elements among them whose text is used if a page has no other text. */
const SPARE = new Set(["noscript", "template", "svg"]);

/** Elements whose contents are text up to the end tag. */
const RAW = new Set(["script", "style", "textarea", "title", "iframe"]);

/** Elements that do not break a line. */
const INLINE = new Set(
  ("a abbr b bdi bdo big cite code data del dfn em font i ins kbd label mark q s samp small " +
    "span strong sub sup time tt u var wbr").split(" "),
);

/** A tag and the text before it. */
interface Tag {
  text: string;
  name: string;
  isEnd: boolean;
  /** True for a self-closing tag, which counts only in SVG. */
  isClosed: boolean;
}

/** The number of start tags in HTML. */
export function countStartTags(html: string): number {
  let count = 0;
  for (const { name, isEnd } of tagsOf(html)) if (name !== "" && !isEnd) count++;
  return count;
}

/** The text of the first title in HTML, or an empty text. */
export function titleText(html: string): string {
  let isTitle = false;
  for (const { text, name, isEnd } of tagsOf(html)) {
    if (isTitle) return decodeEntities(text).replace(/\s+/g, " ").trim();
    isTitle = name === "title" && !isEnd;
  }
  return "";
}

/**
 * The text of HTML, with line breaks as its only layout. If a page has no text for readers, the text
 * of `noscript`, `template` and `svg` is used.
 */
export function bareText(html: string): string {
  return textWithout(SILENT, html) || textWithout(SILENT.difference(SPARE), html);
}

/** Tags with which search engines mark words in plain text. */
const MARKS = /<\/?(?:b|strong|em|i|u|mark|span|wbr|br|p)(?:\s[^<>]{0,200})?\/?>/gi;

/** Removes tags that mark words from a text; other text in angle brackets stays. */
export function removeMarks(text: string): string {
  return decodeEntities(text.replace(MARKS, (tag) => /^<\/?(?:br|p)\b/i.test(tag) ? " " : ""));
}

function textWithout(unread: ReadonlySet<string>, html: string): string {
  const parts: string[] = [];
  let silent: string | undefined;
  for (const { text, name, isEnd, isClosed } of tagsOf(html)) {
    if (silent === undefined) parts.push(text);
    if (silent === undefined && !isEnd && !isClosed && unread.has(name)) silent = name;
    else if (silent === name && isEnd) silent = undefined;
    if (!INLINE.has(name)) parts.push("\n");
  }
  return decodeEntities(parts.join("")).replace(/[^\S\n]+/g, " ").replace(/ ?\n[ \n]*/g, "\n")
    .trim();
}

/** Yields every tag; the last one has no name and holds the text at the end. */
function* tagsOf(html: string): Generator<Tag> {
  const opening = /<(?:!--|[!?]|(\/?)([a-z][^\s/>]{0,40}))/gi;
  let from = 0;
  for (let match; (match = opening.exec(html)) !== null;) {
    const text = html.slice(from, match.index);
    const name = match[2]?.toLowerCase() ?? "";
    const isComment = match[0] === "<!--";
    const end = html.indexOf(isComment ? "-->" : ">", opening.lastIndex);
    from = end < 0 ? html.length : end + (isComment ? 3 : 1);
    const isClosed = name === "svg" && html[from - 2] === "/";
    yield { text, name, isEnd: match[1] === "/", isClosed };
    if (match[1] === "" && RAW.has(name)) {
      const close = new RegExp(`</${name}`, "gi");
      close.lastIndex = from;
      const closing = close.exec(html);
      const raw = closing === null ? html.length : closing.index;
      yield { text: html.slice(from, raw), name: "", isEnd: false, isClosed: false };
      from = raw;
    }
    opening.lastIndex = from;
  }
  yield { text: html.slice(from), name: "", isEnd: false, isClosed: false };
}

const ENTITIES = new Map(
  Object.entries({ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " }),
);

function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi,
    (whole, ten, hex, name) => {
      if (name !== undefined) return ENTITIES.get(name) ?? whole;
      const code = ten === undefined ? parseInt(hex, 16) : Number(ten);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}
