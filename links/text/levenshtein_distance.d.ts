/** The number of characters to add, remove or change to turn one text into the other. */
export function levenshteinDistance(str1: string, str2: string): number;
