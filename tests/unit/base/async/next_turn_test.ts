import { expect } from "@std/expect";
import { nextTurn } from "../../../../src/base/async/next_turn.ts";
import { pause } from "../../../support/wait.ts";

Deno.test("nextTurn > each call lets a timer run that is due", async () => {
  for (let count = 0; count < 20; count++) {
    let isOver = false;
    const timer = pause(1, "The test is about a timer that is due").then(() => isOver = true);
    for (const start = performance.now(); performance.now() < start + 5;);
    await nextTurn();
    expect(isOver).toBe(true);
    await timer;
  }
});
