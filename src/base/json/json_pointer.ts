/** JSON pointers (RFC 6901). */

/** The tokens of a pointer, which is empty or starts with `/`. */
export function tokensOf(pointer: string): string[] {
  return pointer.split("/").slice(1).map(unescaped);
}

/** The pointer of tokens. */
export function pointerOf(tokens: readonly string[]): string {
  return tokens.map((token) => `/${token.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** The value that the tokens of a pointer lead to, by own keys and indexes, or `undefined`. */
export function valueAt(value: unknown, tokens: readonly string[]): unknown {
  return tokens.reduce((found, token) => {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, token)) {
      return undefined;
    }
    if (Array.isArray(found) && !/^\d+$/.test(token)) return undefined;
    return (found as Record<string, unknown>)[token];
  }, value);
}

/**
 * The value that a reference within the document `root` leads to: `#`, or `#` and a pointer
 * (section 6). `undefined` for a missing value, and for a reference of another form.
 */
export function referenced(root: unknown, reference: string): unknown {
  if (reference !== "#" && !reference.startsWith("#/")) return undefined;
  return valueAt(root, reference.split("/").slice(1).map((token) => unescaped(decoded(token))));
}

function unescaped(token: string): string {
  return token.replaceAll("~1", "/").replaceAll("~0", "~");
}

function decoded(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}
