/** A whole number with a comma between thousands; `Intl` would cost a cold call milliseconds. */
export function thousands(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** A count with its noun: `1 line`, `2,000 lines`. */
export function plural(count: number, noun: string): string {
  return `${thousands(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** A number of bytes in the unit that reads best: `12 bytes`, `1.5 KiB`, `3.0 GiB`. */
export function byteSize(bytes: number): string {
  if (bytes < 1024) return plural(bytes, "byte");
  const units = ["KiB", "MiB", "GiB", "TiB", "PiB"];
  let size = bytes / 1024;
  let unit = 0;
  while (size >= 1023.95 && unit < units.length - 1) {
    size /= 1024;
    unit++;
  }
  return `${size.toFixed(1)} ${units[unit]}`;
}
