import { expect } from "@std/expect";
import { nextTurn } from "../../../../src/base/async/next_turn.ts";

Deno.test("nextTurn > lets a timer come that is due, each time", async () => {
  for (let count = 0; count < 20; count++) {
    let isOver = false;
    setTimeout(() => isOver = true, 1);
    for (const start = performance.now(); performance.now() < start + 5;);
    await nextTurn();
    expect(isOver).toBe(true);
  }
});
