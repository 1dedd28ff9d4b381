/** The lists of the tests of the store, and calls that try again. */
import { State } from "../../../../src/runner/state/state.ts";
import { call } from "../../../support/executable.ts";

/** An entry of a list. */
export const todo = (content: string) => ({ content, status: "pending", activeForm: content });

/** Opens the state in this process, and returns the result of `look`. */
export function opened<T>(directory: string, look: (state: State) => T): T {
  const state = new State(directory, "");
  const result = look(state);
  if (result instanceof Promise) return result.finally(() => state.close()) as T;
  state.close();
  return result;
}

/** Calls again while too many other processes wait for the store, as the error advises. */
export async function callUntilFree(...[name, args, options]: Parameters<typeof call>) {
  for (let tries = 1;; tries++) {
    const result = await call(name, args, options);
    if (tries === 50 || !result.text.includes("locked it for too long")) return result;
  }
}
