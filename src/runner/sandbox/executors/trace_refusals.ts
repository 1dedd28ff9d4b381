/** The functions of the runtime that ask for a permission, where a tool may catch the refusal. */
const OBJECTS = (): Record<string, unknown>[] =>
  [Deno, Deno.env, globalThis] as unknown as Record<string, unknown>[];

/** The functions of the global scope among them. */
const GLOBAL = ["fetch"];

/**
 * Notes what the runtime refuses the code of this thread from now on, such as `read access to "/x"`.
 * Call it before a tool is loaded. It sees the functions of `Deno` and `fetch`, and those of
 * `node:` modules only if the tool lets the error pass.
 */
export function traceRefusals(): ReadonlySet<string> {
  const refused = new Set<string>();
  const note = (error: unknown): never => {
    if (error instanceof Deno.errors.NotCapable) {
      const what = /^Requires (.*? access(?: to .*?)?), run again/.exec(error.message)?.[1];
      refused.add(what ?? error.message);
    }
    throw error;
  };
  for (const object of OBJECTS()) {
    const names = object === globalThis as unknown ? GLOBAL : Object.keys(object);
    for (const name of names) {
      const original = object[name];
      if (typeof original !== "function" || /^[A-Z]/.test(name)) continue;
      const traced = (...args: unknown[]) => {
        if (!isCalledByTool()) return Reflect.apply(original, object, args);
        try {
          const result = Reflect.apply(original, object, args);
          return result instanceof Promise ? result.catch(note) : result;
        } catch (error) {
          return note(error);
        }
      };
      try {
        object[name] = traced;
      } catch { /* It cannot be replaced, so it is not traced. */ }
    }
  }
  return refused;
}

/** Whether the function that calls a traced function is in a module of the tool. */
function isCalledByTool(): boolean {
  // The lines are the message, this function, the traced function, and its caller.
  return new Error().stack?.split("\n")[3]?.includes("data:text/javascript;") === true;
}
