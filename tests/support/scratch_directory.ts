/** Makes a temporary directory that `using` removes. Its path has no symlinks. */
export function scratchDirectory(): { path: string; [Symbol.dispose](): void } {
  const path = Deno.realPathSync(Deno.makeTempDirSync());
  return { path, [Symbol.dispose]: () => Deno.removeSync(path, { recursive: true }) };
}
