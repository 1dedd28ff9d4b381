/** A schema of a server that takes too long to check. */
// tier: machine
import { expect } from "@std/expect";
import { CallError } from "../../../src/base/errors.ts";
import { compileSchema } from "../../../src/runner/mcp/client/compile_schema.ts";

/** A schema of forty steps. A validator checks each step twice as often as the one before. */
function doubling(): Record<string, unknown> {
  const steps = Array.from({ length: 40 }, (_, at) => {
    const $ref = `#/x/${at}`;
    return [`${at + 1}`, { allOf: [{ $ref }, { $ref }] }];
  });
  return { properties: { a: { $ref: "#/x/40" } }, x: { 0: {}, ...Object.fromEntries(steps) } };
}

Deno.test("mcp client > a check of arguments fails after five seconds", async () => {
  for (const $schema of ["http://json-schema.org/draft-07/schema#", undefined]) {
    const schema = { ...doubling(), ...($schema && { $schema }) };
    const validate = await compileSchema(schema, "the arguments");
    let failure: unknown;
    try {
      validate({ a: 1 });
    } catch (error) {
      failure = error;
    }
    // Without the limit the check would never end.
    expect(failure instanceof CallError && failure.code).toBe("unavailable");
    expect((failure as Error).message)
      .toBe("Cannot check the arguments: by its schema that takes more than 5000 ms");
    // The next check has a new time limit.
    expect(validate({})).toBe(true);
  }
});
