// deno-lint-ignore-file no-console
import { expect } from "@std/expect";

/** Counts attempts to reach what no flag opens; its report is the name of a last step. */
export class Leaks {
  #refused = 0;
  readonly #leaked: string[] = [];

  /** Takes note of one attempt. */
  note(attempt: string, isRefused: boolean, detail = ""): void {
    if (isRefused) this.#refused++;
    else this.#leaked.push(`${attempt}: ${detail}`);
  }

  /** Prints the count, and fails when it is not `tried` refusals. */
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
