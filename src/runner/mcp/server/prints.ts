import type { ServerContext } from "@modelcontextprotocol/server";
import {
  bounded,
  type Print,
  printToStderr,
  type TakePrint,
} from "../../sandbox/executors/prints.ts";

/** The prints of a tool in a call, as log messages of MCP. They go to stderr as well. */
export class Prints implements AsyncDisposable {
  #sent: Promise<unknown> = Promise.resolve();
  readonly #log: TakePrint;

  /** Takes the request of the call. */
  constructor({ mcpReq }: ServerContext) {
    this.#log = bounded(({ tool, level, text }) => {
      this.#sent = this.#sent
        .then(() => mcpReq.log(level, text.replace(/\n$/, ""), tool))
        // Nobody listens any more.
        .catch(() => {});
    });
  }

  /** Takes a print. */
  take(print: Print): void {
    printToStderr(print);
    this.#log(print);
  }

  /** Waits until what was printed is on its way. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sent;
  }
}
