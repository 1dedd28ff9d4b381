/** The number of terminal columns that `str` takes. */
export function unicodeWidth(str: string): number;
