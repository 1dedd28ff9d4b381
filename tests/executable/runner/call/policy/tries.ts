/** Calls that fail some times, and the number of their tries. */
import type { Result } from "../../../../support/executable.ts";
import { desk, linesOf } from "./desk.ts";

/** The arguments of a call that fails twice. */
export const FAILING = { path: "tries", failures: 2 };

/** Runs a call in a new directory. Returns its result, and the number of its tries. */
export async function tried(
  flags: string[],
  call: (it: ReturnType<typeof desk>) => Promise<Result>,
): Promise<{ result: Result; count: number }> {
  using it = desk(flags);
  return { result: await call(it), count: linesOf(`${it.path}/tries`) };
}
