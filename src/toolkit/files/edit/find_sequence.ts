/** What can be searched: bytes, or numbers that stand for longer things. */
export type Sequence = Uint8Array | Uint32Array;

/**
 * Calls `found` with the place of each occurrence of `needle` in `items`, first
 * to last, overlapping ones too unless `overlapping` is false; `needle` must not
 * be empty. Its time grows
 * with the sum of both lengths whatever they hold (Knuth, Morris and Pratt).
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

/** For each beginning of `needle`, the length of the longest end that is a beginning too. */
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
