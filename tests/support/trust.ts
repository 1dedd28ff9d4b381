import { TrustedFiles } from "../../src/runner/state/trusted_files.ts";

/**
 * Trusts the text of a configuration file, as `toolcall config trust` does. `state` is the state directory
 * of the calls; by default that of this process.
 */
export function trustFile(
  path: string,
  state = `${Deno.env.get("XDG_STATE_HOME")}/toolcall`,
): void {
  new TrustedFiles(state).add(path, Deno.readTextFileSync(path).replace(/^\ufeff/, ""));
}
