/** Types for the part of `@std/cli/parse-args` that is used here. */
export interface ParseOptions {
  "--"?: boolean;
  alias?: Record<string, string | string[]>;
  boolean?: string[];
  string?: string[];
  collect?: string[];
  stopEarly?: boolean;
  unknown?: (arg: string, key?: string, value?: unknown) => unknown;
}

/** Flags by name; positional arguments under `_`; what follows `--` under `--`. */
export type Args = {
  _: Array<string | number>;
  "--"?: string[];
  // deno-lint-ignore no-explicit-any
  [flag: string]: any;
};

export function parseArgs(args: string[], options?: ParseOptions): Args;
