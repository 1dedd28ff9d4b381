// deno-lint-ignore-file no-console
import { expect } from "@std/expect";

/** Counts attempts to reach something that no flag allows. The last step of a test has the counts. */
export class Leaks {
  #refused = 0;
  readonly #leaked: string[] = [];

  /** Records one attempt. */
  note(attempt: string, isRefused: boolean, detail = ""): void {
    if (isRefused) this.#refused++;
    else this.#leaked.push(`${attempt}: ${detail}`);
  }

  /** Reports the counts as a step, and fails if there were not `tried` refused attempts. */
  async report(t: Deno.TestContext, tried: number): Promise<void> {
    const all = this.#refused + this.#leaked.length;
    const name = `tried ${all}, refused ${this.#refused}, leaked ${this.#leaked.length}`;
    const passed = await t.step(name, () => {
      expect(this.#leaked).toEqual([]);
      expect(all).toBe(tried);
    });
    if (!passed) console.log(`${name}\n  ${this.#leaked.join("\n  ")}`);
  }
}
