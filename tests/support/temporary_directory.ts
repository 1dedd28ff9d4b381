/** Temporary directories of the tests, and one directory for the state of all tests. */

// The tests do not read or change the stored data of the user's own calls.
const state = Deno.makeTempDirSync({ prefix: "toolcall-test-state-" });
Deno.env.set("XDG_STATE_HOME", state);
globalThis.addEventListener("unload", () => Deno.removeSync(state, { recursive: true }));

/** Makes a temporary directory that `using` removes. Its path has no symlinks. */
export function temporaryDirectory(): { path: string } & Disposable {
  const path = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "toolcall-test-" }));
  return { path, [Symbol.dispose]: () => Deno.removeSync(path, { recursive: true }) };
}
