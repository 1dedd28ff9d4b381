/** What runs on this machine, as `/proc` tells. */

/** The processes whose command line holds `text`. */
export function processesWith(text: string): number[] {
  return [...Deno.readDirSync("/proc")].flatMap(({ name }) => {
    try {
      const line = Deno.readTextFileSync(`/proc/${Number(name)}/cmdline`);
      return line.includes(text) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

/** Whether it comes to hold within ten seconds. */
export async function until(holds: () => boolean): Promise<boolean> {
  for (const end = Date.now() + 10_000; Date.now() < end;) {
    if (holds()) return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return false;
}
