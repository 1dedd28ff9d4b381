import { expect } from "@std/expect";
import { nextTurn } from "../../../../src/base/async/next_turn.ts";

Deno.test("nextTurn > lets timers come that are due", async () => {
  let isOver = false;
  setTimeout(() => isOver = true, 1);
  for (const start = performance.now(); performance.now() < start + 5;);
  await nextTurn();
  await nextTurn();
  expect(isOver).toBe(true);
});

Deno.test({
  name: "nextTurn > leaves nothing open",
  sanitizeResources: true,
  fn: async () => await nextTurn(),
});
