/**
 * A text in double quotes for a message, with control characters escaped as in
 * JSON, and cut after `limit` characters.
 */
export function quote(text: string, limit = 200): string {
  const cut = text.length > limit ? `${text.slice(0, limit)}…` : text;
  // JSON leaves DEL, the C1 controls and the bidirectional overrides as they are.
  return JSON.stringify(cut).replace(
    /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
