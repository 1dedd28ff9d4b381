/** The value of a YAML document. */
export function parse(content: string): unknown;
