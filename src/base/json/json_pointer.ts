/** JSON pointers (RFC 6901). */

/** The tokens of a pointer. The pointer is empty or starts with `/`. */
export function parsePointer(pointer: string): string[] {
  return pointer.split("/").slice(1).map(unescaped);
}

/** The pointer that has these tokens. */
export function pointerOf(tokens: readonly string[]): string {
  return tokens.map((token) => `/${token.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** The value at the tokens of a pointer, by own keys and indexes only. */
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
 * The value at the fragment of a URL: `#`, or a pointer after it (section 6). Returns undefined
 * when there is no such value.
 */
export function valueAtFragment(root: unknown, fragment: string): unknown {
  return valueAt(root, fragment.split("/").slice(1).map((token) => unescaped(decoded(token))));
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
