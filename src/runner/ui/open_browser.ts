import { lookupTable } from "../../base/lookup_table.ts";
import { spawnOwn } from "../sandbox/executors/own_process.ts";

/** The programs that open an address in the browser, by the operating system. */
const OPENERS = lookupTable<readonly [string, ...string[]]>({
  darwin: ["/usr/bin/open"],
  windows: ["explorer.exe"],
  linux: ["/usr/bin/xdg-open"],
});

/** The time that the browser has to read the file, in milliseconds. */
const READ_MS = 15_000;

/**
 * Opens the address in the user's browser. The token must not be in the arguments of a process,
 * which other programs can read. So the browser opens a private file in `directory` that leads to
 * the page. Returns whether a browser could be started.
 */
export function openBrowser(url: string, directory: string): boolean {
  const opener = OPENERS[Deno.build.os];
  if (opener === undefined) return false;
  const file = `${directory}/open-${crypto.randomUUID()}.html`;
  const remove = () => {
    try {
      Deno.removeSync(file);
    } catch { /* It is gone already. */ }
  };
  try {
    Deno.mkdirSync(directory, { recursive: true, mode: 0o700 });
    const text = `<!doctype html><meta charset="utf-8"><title>toolcall</title><script>` +
      `location.replace(${JSON.stringify(url)})</script>`;
    Deno.writeTextFileSync(file, text, { createNew: true, mode: 0o600 });
    const [program, ...args] = opener;
    const child = spawnOwn(program, [...args, file], { detached: true });
    child.unref();
    child.stdin.close().catch(() => {});
    Deno.unrefTimer(setTimeout(remove, READ_MS));
    return true;
  } catch {
    remove();
    return false;
  }
}
