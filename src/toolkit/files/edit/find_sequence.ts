/** A searchable sequence: bytes, or numbers that represent longer items. */
export type Sequence = Uint8Array | Uint32Array;

/**
 * Calls `found` with the place of each occurrence of `needle` in `items`, first to last, and
 * includes overlapping ones if `overlapping` is true. `needle` must not be empty. The time is
 * linear in the sum of both lengths (Knuth, Morris and Pratt).
 */
export function findSequence(
  items: Sequence,
  options: { needle: Sequence; overlapping: boolean; found: (at: number) => void },
): void {
  const { needle, overlapping, found } = options;
  const borders = bordersOf(needle);
  const length = needle.length;
  let matched = 0;
  for (let i = 0; i < items.length; i++) {
    if (matched === 0) {
      i = items.indexOf(needle[0]!, i);
      if (i < 0) return;
    }
    while (matched > 0 && items[i] !== needle[matched]) matched = borders[matched - 1]!;
    if (items[i] === needle[matched]) matched++;
    if (matched < length) continue;
    found(i - length + 1);
    matched = overlapping ? borders[length - 1]! : 0;
  }
}

/**
 * The place in `items` of the longest start of `needle` that occurs there, and its length, which is 0
 * if not even the first item occurs. The time is linear in the sum of both lengths.
 */
export function longestStart(items: Sequence, needle: Sequence): { at: number; length: number } {
  const borders = bordersOf(needle);
  let best = { at: 0, length: 0 };
  let matched = 0;
  for (let i = 0; i < items.length && matched < needle.length; i++) {
    while (matched > 0 && items[i] !== needle[matched]) matched = borders[matched - 1]!;
    if (items[i] === needle[matched]) matched++;
    if (matched > best.length) best = { at: i - matched + 1, length: matched };
  }
  return best;
}

/** For each prefix of `needle`, the length of its longest suffix that is also a prefix. */
function bordersOf(needle: Sequence): Uint32Array {
  const borders = new Uint32Array(needle.length);
  let length = 0;
  for (let i = 1; i < needle.length; i++) {
    while (length > 0 && needle[i] !== needle[length]) length = borders[length - 1]!;
    if (needle[i] === needle[length]) length++;
    borders[i] = length;
  }
  return borders;
}
