/** The first request of each kind of client, of each revision. */
// tier: machine
import { expect } from "@std/expect";
import { initializeAnswers } from "./initialize_answers.ts";
import { sceneWithDenied as scene } from "./scenes.ts";

Deno.test("quick calls > the usual initialize request gets the same answer as from the library", async () => {
  using it = scene();
  const clients = [
    { roots: { listChanged: true }, sampling: {}, elicitation: { form: {}, url: {} } },
    { experimental: { own: {} }, roots: {} },
    {},
  ];
  for (const version of ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"]) {
    for (const capabilities of clients) {
      const answers = await initializeAnswers(it, { version, capabilities });
      expect(answers[0]).toEqual(answers[1]);
      if (version !== "2025-11-25") break;
    }
  }
});
