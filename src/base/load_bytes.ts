/**
 * Loads a file of a package, such as `npm:example@1.0.0/example.wasm`. The bundle has the file.
 *
 * An `import` with the type `bytes` would do the same, but a registry of packages refuses it.
 */
export async function loadBytes(specifier: string): Promise<Uint8Array<ArrayBuffer>> {
  const { default: bytes } = await import(specifier, { with: { type: "bytes" } });
  return bytes;
}
