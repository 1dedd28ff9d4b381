import { readRegularText } from "../../base/fs/regular_file.ts";
import { addHtmlLinks, type DocumentLinks } from "./html_links.ts";
import { addMarkdownLinks } from "./markdown_links.ts";

/** How large a document may be that is read, in bytes. */
export const MAX_BYTES = 1024 * 1024;

/** Whether a file's name is that of a document whose links are known. */
export function isDocument(path: string): boolean {
  return /\.(md|markdown|html?|xhtml)$/i.test(path);
}

/** The documents of a call, each read once. */
export class Documents {
  #read = new Map<string, DocumentLinks | undefined>();

  /** What a document holds; `undefined` for one that is too large or cannot be read. */
  at(path: string): DocumentLinks | undefined {
    if (!this.#read.has(path)) this.#read.set(path, read(path));
    return this.#read.get(path);
  }
}

function read(path: string): DocumentLinks | undefined {
  let text: string;
  try {
    text = readRegularText(path, MAX_BYTES);
  } catch {
    return undefined;
  }
  const found: DocumentLinks = { links: [], anchors: new Set() };
  if (/\.(md|markdown)$/i.test(path)) addMarkdownLinks(text, found);
  else addHtmlLinks(text, found);
  return found;
}
