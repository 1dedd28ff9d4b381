import { Parser } from "htmlparser2";

/** Elements whose text is not there to be read. */
const UNREAD = new Set(["script", "style", "template"]);

/** Elements within a line. */
const INLINE = new Set([
  ...["a", "abbr", "b", "bdi", "cite", "code", "em", "i", "kbd", "mark", "q", "s", "small"],
  ...["span", "strong", "sub", "sup", "time", "u", "var", "wbr"],
]);

/** The text of a piece of HTML, with a blank where an element breaks a line. */
export function plainText(html: string): string {
  const parts: string[] = [];
  let unread = 0;
  const parser = new Parser({
    onopentagname(name) {
      if (UNREAD.has(name)) unread++;
      if (!INLINE.has(name)) parts.push(" ");
    },
    ontext: (text) => void (unread === 0 && parts.push(text)),
    onclosetag(name) {
      if (UNREAD.has(name)) unread--;
      if (!INLINE.has(name)) parts.push(" ");
    },
  });
  parser.end(html);
  return parts.join("");
}
