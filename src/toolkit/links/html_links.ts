import { Parser } from "htmlparser2";

/** What a document links to, and what in it can be linked to. */
export interface DocumentLinks {
  /** Its links in their order, with the lines that they stand on, from 1. */
  links: { target: string; line: number }[];
  /** The names that a `#` can lead to. */
  anchors: Set<string>;
}

/** The attributes that hold an address, by the element. */
const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  a: ["href"],
  area: ["href"],
  link: ["href"],
  img: ["src"],
  script: ["src"],
  iframe: ["src"],
  source: ["src"],
  video: ["src", "poster"],
  audio: ["src"],
  embed: ["src"],
  object: ["data"],
};

/** Adds what a piece of HTML that begins on a line holds. */
export function addHtmlLinks(html: string, found: DocumentLinks, firstLine = 1): void {
  let [line, counted] = [firstLine, 0];
  const parser = new Parser({
    onopentag(name, attributes) {
      for (; counted < parser.startIndex; counted++) if (html[counted] === "\n") line++;
      const { id, name: named } = attributes;
      if (id !== undefined) found.anchors.add(id);
      if (name === "a" && named !== undefined) found.anchors.add(named);
      for (const attribute of Object.hasOwn(ADDRESSES, name) ? ADDRESSES[name]! : []) {
        const target = attributes[attribute];
        if (target !== undefined) found.links.push({ target: target.trim(), line });
      }
    },
  });
  parser.end(html);
}
