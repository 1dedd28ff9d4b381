/** How long each test file took when it last ran on this machine. */

const file = new URL("../../dist/test_seconds.json", import.meta.url);

/**
 * Orders files so that the slowest one starts first, and no core idles at the end. Files that never
 * ran here come before the others, the largest first.
 */
export function slowestFirst(files: readonly string[], seconds: Seconds): string[] {
  const keys = new Map(files.map((path) => [path, seconds.get(path) ?? 1e6 + sizeOf(path)]));
  return files.toSorted((a, b) => keys.get(b)! - keys.get(a)!);
}

/** The seconds of each test file that has run. */
export type Seconds = ReadonlyMap<string, number>;

/** Reads the record; it is empty when no test has run, or when it cannot be read. */
export function readSeconds(): Map<string, number> {
  try {
    const entries = Object.entries(JSON.parse(Deno.readTextFileSync(file)));
    return new Map(entries.filter((entry): entry is [string, number] => Number(entry[1]) > 0));
  } catch {
    return new Map();
  }
}

/** Adds what this run measured to the record. A record that cannot be written is no failure. */
export function writeSeconds(measured: Seconds): void {
  const all = Object.fromEntries([...readSeconds(), ...measured].toSorted());
  try {
    Deno.mkdirSync(new URL("./", file), { recursive: true });
    Deno.writeTextFileSync(file, `${JSON.stringify(all, null, 1)}\n`);
  } catch (error) {
    if (!(error instanceof Deno.errors.PermissionDenied)) throw error;
  }
}

function sizeOf(path: string): number {
  return Deno.statSync(new URL(`../../${path}`, import.meta.url)).size;
}
