/** A new temporary directory, by its real path, that goes away with the test. */
export function scratchDirectory(): { path: string; [Symbol.dispose](): void } {
  const path = Deno.realPathSync(Deno.makeTempDirSync());
  return { path, [Symbol.dispose]: () => Deno.removeSync(path, { recursive: true }) };
}
