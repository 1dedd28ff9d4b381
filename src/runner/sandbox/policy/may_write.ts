/** Whether the calls of these flags could change a file, so that nothing may rely on it. */

import { decide, type Grants } from "./grants.ts";
import { isWritable, realPathIfAny, untrustedStep } from "./paths.ts";

/**
 * Whether programs that a call starts may write the file at `path`, or a link on the way to it,
 * by a grant that names a directory; the tools themselves ask for each file.
 */
export function programsMayWrite(path: string, { all, allow }: Grants): boolean {
  if (all || allow.run === undefined) return false;
  return untrustedStep(path, allow.write) !== undefined;
}

/**
 * Whether tools that start no program may write the file that `path` leads to, by a grant that
 * does not name that very file. They make and replace no links.
 */
export function toolsMayWrite(path: string, grants: Grants): boolean {
  const real = realPathIfAny(path) ?? path;
  const { all, allow: { write } } = grants;
  if (all || !isWritable(real, write) || (write as readonly string[]).includes(real)) return false;
  return decide({ name: "write", path: real }, grants).granted;
}
