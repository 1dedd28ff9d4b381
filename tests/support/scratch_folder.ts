/** A new temporary folder, by its real path, that goes away with the test. */
export function scratchFolder(): { path: string; [Symbol.dispose](): void } {
  const path = Deno.realPathSync(Deno.makeTempDirSync());
  return { path, [Symbol.dispose]: () => Deno.removeSync(path, { recursive: true }) };
}
