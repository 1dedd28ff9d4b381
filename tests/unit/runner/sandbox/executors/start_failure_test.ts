import { expect } from "@std/expect";
import { startFailure } from "../../../../../src/runner/sandbox/executors/start_failure.ts";

/** The errors of a runtime that cannot start `/bin/sh`, and what the failure has to say. */
const errors: readonly (readonly [system: string, says: RegExp])[] = [
  ["Resource temporarily unavailable (os error 11)", /limit on processes .*ulimit -u.*pids\.max/],
  ["Too many open files (os error 24)", /open files .*ulimit -n/],
  ["Too many open files in system (os error 23)", /fs\.file-max/],
  ["Cannot allocate memory (os error 12)", /no memory left/],
  ["Exec format error (os error 8)", /Exec format error/],
];

Deno.test("start failure > it names the resource that ran out and what helps", () => {
  for (const [system, says] of errors) {
    const failure = startFailure("/bin/sh", new Error(`Failed to spawn '/bin/sh': ${system}`));
    expect(failure.code).toBe("unavailable");
    expect(failure.message).toMatch(/^Cannot start "\/bin\/sh": /);
    expect(failure.message).toMatch(says);
  }
});

Deno.test("start failure > a reason of the caller replaces the system's message", () => {
  const error = new Error("Failed to spawn 'x': Permission denied (os error 13)");
  expect(startFailure("/x", error, "it is closed").message).toBe('Cannot start "/x": it is closed');
});
