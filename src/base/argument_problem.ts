/** A problem of one argument of a call. */
export interface ArgumentProblem {
  /** The JSON pointer to the argument, or `/` for all of them. */
  path: string;
  /** The problem, and what would be valid. */
  message: string;
}

/** The problem, in a list, if an argument has it. */
export function problemIf(hasIt: boolean, path: string, message: string): ArgumentProblem[] {
  return hasIt ? [{ path, message }] : [];
}

/** The problem, in a list, of an argument for which `check` throws. */
export function problemFrom(path: string, check: () => unknown): ArgumentProblem[] {
  try {
    check();
    return [];
  } catch (error) {
    return [{ path, message: (error as Error).message }];
  }
}
