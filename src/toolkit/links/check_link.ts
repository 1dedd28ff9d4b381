import { dirname } from "@std/path/posix/dirname";
import { join } from "@std/path/posix/join";
import { quote } from "../../base/text/quote.ts";
import { type Documents, isDocument } from "./documents.ts";

/** The context of a link. */
export interface LinkSource {
  /** The path of the document with the link, below `root`. */
  file: string;
  /** The folder for links that begin with a slash. */
  root: string;
  /** The documents of the call. */
  documents: Documents;
  /** Returns whether the flags allow reading a path. */
  mayRead(path: string): boolean;
}

/**
 * The result of checking a link: the reason why it is broken, its URL on the web, or the reason why
 * it cannot be checked; undefined for a valid link.
 */
export type LinkVerdict = { broken: string } | { web: string } | { unknown: string } | undefined;

/** Checks one link of a document. Never asks the network. */
export function checkLink(target: string, place: LinkSource): LinkVerdict {
  if (/^(https?:)?\/\//i.test(target)) return { web: target };
  if (/^[a-z][a-z0-9+.-]+:/i.test(target)) return undefined;
  const [, path, fragment = ""] = /^([^?#]*)(?:\?[^#]*)?(?:#(.*))?$/s.exec(target) ?? [];
  const { file, root, documents, mayRead } = place;
  const name = decoded(path ?? "");
  if (name.includes("\0")) return { broken: "its path holds a NUL character" };
  const from = name.startsWith("/") ? root : dirname(file);
  const found = name === "" ? file : join(from, name);
  if (!mayRead(found)) return { unknown: "the flags do not let this call read what it names" };
  const kind = kindOf(found);
  if (kind === "nothing") return { broken: "there is no such file" };
  if (fragment === "" || kind === "folder" || !isDocument(found)) return undefined;
  const anchor = decoded(fragment.replace(/:~:.*$/s, ""));
  if (anchor === "" || anchor === "top") return undefined;
  const document = documents.at(found);
  if (document === undefined) return { unknown: "what it names is too large or cannot be read" };
  if (document.anchors.has(anchor)) return undefined;
  return { broken: `there is no anchor ${quote(anchor)} in ${name === "" ? "it" : "that file"}` };
}

function kindOf(path: string): "file" | "folder" | "nothing" {
  try {
    return Deno.statSync(path).isDirectory ? "folder" : "file";
  } catch {
    return "nothing";
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
