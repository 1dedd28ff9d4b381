/** Directories of the tests: one for each test that asks, and one for the state of all of them. */

// The tests neither read nor change what the user's own calls have stored.
const state = Deno.makeTempDirSync({ prefix: "toolcall-test-state-" });
Deno.env.set("XDG_STATE_HOME", state);
globalThis.addEventListener("unload", () => Deno.removeSync(state, { recursive: true }));

/** A temporary directory that `using` removes; its path has no symlinks. */
export function temporaryDirectory(): { path: string } & Disposable {
  const path = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "toolcall-test-" }));
  return { path, [Symbol.dispose]: () => Deno.removeSync(path, { recursive: true }) };
}
