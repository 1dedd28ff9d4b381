/**
 * Returns a function that loads something at its first call, and gives the same promise to every
 * later call. After a failure, the next call tries again.
 *
 * A module that awaits while it loads, as modules with WebAssembly do, is loaded only in this way: two
 * `import()` of it at the same time can end the runtime (Deno 2.9.6, "RefCell already borrowed").
 *
 * @example
 * ```ts
 * import { late } from "./late.ts";
 *
 * let loads = 0;
 * const table = late(() => Promise.resolve(++loads));
 * await Promise.all([table(), table()]);
 * if (loads !== 1) throw new Error("It was loaded twice");
 * ```
 */
export function late<T>(load: () => Promise<T>): () => Promise<T> {
  let kept: Promise<T> | undefined;
  return () => {
    kept ??= load().catch((error) => {
      kept = undefined;
      throw error;
    });
    return kept;
  };
}
