import { Language, Parser, type Tree } from "web-tree-sitter";
import core from "web-tree-sitter/web-tree-sitter.wasm" with { type: "bytes" };
import type { Dialect } from "./languages.ts";

/** The most time that one file may take to parse. */
const LIMIT_MS = 5000;

/** How long the parser works before it is interrupted, to go on where it was. */
const TURN_MS = 50;

/** Parses files with tree-sitter, in WebAssembly; a grammar is loaded when a file needs it. */
export class SourceParser {
  #parser = new Parser();
  #signal: AbortSignal;
  #grammars = new Map<Dialect, Language>();

  private constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Starts tree-sitter, which reads no file, for a call with this signal. */
  static async start(signal: AbortSignal): Promise<SourceParser> {
    await Parser.init({ wasmBinary: core });
    return new SourceParser(signal);
  }

  /**
   * The syntax tree of a text, to be deleted after use; its positions count UTF-16 units.
   * `undefined` when it takes more than five seconds. Throws the signal's reason when it is
   * aborted; the parser is then of no more use.
   */
  async parse(text: string, dialect: Dialect): Promise<Tree | undefined> {
    let grammar = this.#grammars.get(dialect);
    if (grammar === undefined) {
      grammar = await Language.load((await dialect.load()).grammar);
      this.#grammars.set(dialect, grammar);
    }
    this.#parser.setLanguage(grammar);
    let tree: Tree | null = null;
    const end = performance.now() + LIMIT_MS;
    for (let now = performance.now(); tree === null && now < end; now = performance.now()) {
      const progressCallback = () => performance.now() > now + TURN_MS;
      tree = this.#parser.parse(text, null, { progressCallback });
      if (tree === null) await this.rest();
    }
    if (tree === null) this.#parser.reset();
    return tree ?? undefined;
  }

  /** Gives the event loop a turn; throws the signal's reason when it is aborted. */
  async rest(): Promise<void> {
    await new Promise((done) => setTimeout(done, 0));
    this.#signal.throwIfAborted();
  }

  /** Lets go of the parser's memory. */
  [Symbol.dispose](): void {
    this.#parser.delete();
  }
}
