import { Language, Parser, type Tree } from "web-tree-sitter";
import core from "web-tree-sitter/web-tree-sitter.wasm" with { type: "bytes" };
import { Yielder } from "../../base/async/yielder.ts";
import type { Dialect } from "./languages.ts";

/** The most time that one file may take to parse. */
const MAX_PARSE_MS = 5000;

/** How long the parser works before it is interrupted, to go on where it was. */
const TURN_MS = 50;

/** Parses files with tree-sitter, in WebAssembly; a grammar is loaded when a file needs it. */
export class SourceParser {
  #parser = new Parser();
  readonly #yielder: Yielder;
  #grammars = new Map<Dialect, Language>();

  private constructor(signal: AbortSignal) {
    this.#yielder = new Yielder(signal);
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
    await this.#yielder.yield();
  }

  /** Lets go of the parser's memory. */
  [Symbol.dispose](): void {
    this.#parser.delete();
  }
}
