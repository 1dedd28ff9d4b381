/** The most prefixes of a name that are looked at. */
const MAX_PREFIXES = 8;

/**
 * The names that a model may mean by a name, the longest first: the name itself, and what is left
 * without marks such as `<|channel|>` and without prefixes such as `functions.`, `default_api:` and
 * `tools/`.
 */
export function unprefixedNames(name: string): string[] {
  const [before] = name.split("<|");
  const own = before!.trim() || name.replaceAll(/<\|[^|]*\|>/g, "").trim();
  const parts = own.split(/(?<=[./:])/).slice(-MAX_PREFIXES);
  const rests = parts.map((_, at) => parts.slice(at).join(""));
  return [own, ...rests.slice(1).filter((rest) => rest.length > 1)];
}
