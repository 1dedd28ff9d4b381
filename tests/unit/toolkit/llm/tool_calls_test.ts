import { expect } from "@std/expect";
import { planCalls } from "../../../../src/toolkit/llm/tool_calls.ts";

Deno.test("planned calls > calls after the first 128 of a turn get an error and do not run", async () => {
  const read = { name: "Read", definition: {}, readOnly: true };
  const calls = Array.from({ length: 140 }, (_, at) => ({
    ...{ id: `call_${at}`, type: "function" as const },
    function: { name: "Read", arguments: "{}" },
  }));
  const planned = await planCalls(calls, new Map([["Read", read]]));
  expect(planned.filter((call) => "tool" in call).length).toBe(128);
  const rest = planned.flatMap((call) => "problem" in call ? call.problem : []);
  expect(rest.length).toBe(12);
  expect(rest[0]).toContain("was not run");
});
