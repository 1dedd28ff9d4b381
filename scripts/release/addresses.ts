/**
 * The addresses of the published project. They are empty until something is published. Nothing else
 * in the repository repeats them.
 */
export const addresses = {
  /** The page of the repository, without a slash at the end. */
  repository: "",
  /** The directory of all releases. The files of a version are in `v<VERSION>/` below it. */
  downloads: "",
} as const;

/**
 * Returns an address.
 *
 * @throws {Error} while nothing is published.
 */
export function publishedAddress(name: keyof typeof addresses): string {
  const address: string = addresses[name];
  if (address !== "") return address;
  throw new Error(
    `Cannot use the address "${name}": nothing is published yet. Write it into ` +
      "scripts/release/addresses.ts after the first publication",
  );
}
