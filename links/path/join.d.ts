/** The paths one after the other, normalized. */
export function join(...paths: string[]): string;
