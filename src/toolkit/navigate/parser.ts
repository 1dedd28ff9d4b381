import { Language, Parser, type Tree } from "web-tree-sitter";
import core from "web-tree-sitter/web-tree-sitter.wasm" with { type: "bytes" };
import { Yielder } from "../../base/async/yielder.ts";
import type { Dialect } from "./languages.ts";

/** The longest time for parsing one file, in milliseconds. */
const MAX_PARSE_MS = 5000;

/** The time after which parsing is interrupted for the event loop, in milliseconds. */
const TURN_MS = 50;

/** Parses files with tree-sitter in WebAssembly. A grammar is loaded when a file needs it. */
export class SourceParser {
  #parser = new Parser();
  #grammars = new Map<Dialect, Language>();

  private constructor(readonly yielder: Yielder) {}

  /** Starts tree-sitter for a call with this signal. It reads no file. */
  static async start(signal: AbortSignal): Promise<SourceParser> {
    await Parser.init({ wasmBinary: core });
    return new SourceParser(new Yielder(signal));
  }

  /**
   * The syntax tree of a text, with positions in UTF-16 units. The caller must delete it. Returns
   * `undefined` after five seconds. Throws the signal's reason when the signal is aborted; the
   * parser cannot be used after that.
   */
  async parse(text: string, dialect: Dialect): Promise<Tree | undefined> {
    let grammar = this.#grammars.get(dialect);
    if (grammar === undefined) {
      grammar = await Language.load((await dialect.load()).default);
      this.#grammars.set(dialect, grammar);
    }
    this.#parser.setLanguage(grammar);
    let tree: Tree | null = null;
    const end = performance.now() + MAX_PARSE_MS;
    for (let now = performance.now(); tree === null && now < end; now = performance.now()) {
      const progressCallback = () => performance.now() > now + TURN_MS;
      tree = this.#parser.parse(text, null, { progressCallback });
      if (tree === null) await this.yield();
    }
    if (tree === null) this.#parser.reset();
    return tree ?? undefined;
  }

  /** Lets the event loop run once. Throws the signal's reason when it is aborted. */
  async yield(): Promise<void> {
    await this.yielder.yield();
  }

  /** Frees the parser's memory. */
  [Symbol.dispose](): void {
    this.#parser.delete();
  }
}
