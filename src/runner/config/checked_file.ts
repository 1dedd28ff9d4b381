import { dirname } from "@std/path/posix/dirname";
import { getNodeValue, type Node } from "jsonc-parser";
import { isObject } from "../../base/json/is_object.ts";
import { quote } from "../../base/text/quote.ts";
import { configTree, NO_OBJECT, readConfigText, syntaxFault } from "./config_file.ts";
import { type ConfigFault, configFaults, isUnknownSection } from "./config_faults.ts";
import { parsePointer, pointerOf } from "../../base/json/json_pointer.ts";

/** A problem in a configuration file. */
export interface ConfigProblem {
  /** The line, from 1. Missing if the problem concerns the whole file. */
  line?: number;
  /** The column, from 1. */
  column?: number;
  /** JSON pointer to the value. `""` is the whole file. */
  path: string;
  /** The problem, and how to correct it. */
  message: string;
  /** Whether calls fail because of it. They ignore a `warning`. */
  severity: "error" | "warning";
}

/** A file of the configuration that is being checked. */
export class CheckedFile {
  /** The problems that were found. */
  readonly problems: ConfigProblem[] = [];
  /** The directory for relative paths in the file. */
  readonly directory: string;
  /** The parsed file. Empty if it cannot be parsed. */
  readonly value: Record<string, unknown> = {};
  readonly #text: string = "";
  readonly #root: Node | undefined;
  readonly #lines: readonly number[] = [];
  /** Pointers to values with errors, and to all values that contain them. */
  readonly #faulty = new Set<string>();
  readonly #members = new Map<Node, ReadonlyMap<string, Node>>();

  /** Reads the file and checks its syntax, its schema and its keys. Never throws. */
  constructor(readonly path: string) {
    this.directory = dirname(path);
    try {
      this.#text = readConfigText(path);
      this.#lines = [0, ...Array.from(this.#text.matchAll(/\n/g), ({ index }) => index + 1)];
      const { root, errors } = configTree(path, this.#text);
      for (const error of errors) this.#reportAt(error.offset, { message: syntaxFault(error) });
      if (errors.length > 0 || root === undefined) return;
      const value = getNodeValue(root);
      if (isObject(value)) [this.#root, this.value] = [root, value];
      else this.#reportAt(root.offset, { message: NO_OBJECT });
    } catch (error) {
      const message = (error as Error).message.replace(/^.*?": /, "");
      this.problems.push({ path: "", message, severity: "error" });
      return;
    }
    if (this.#root === undefined) return;
    this.#reportDuplicates(this.#root, []);
    for (const fault of configFaults(this.value)) {
      if (!isUnknownSection(fault)) this.report(fault);
      else this.report({ ...fault, message: `${fault.message}; it is ignored` }, "warning");
    }
  }

  /** Adds a problem at a pointer. */
  report(
    { path, message, ofKey }: ConfigFault,
    severity: ConfigProblem["severity"] = "error",
  ): void {
    const found = this.#root && this.#nodeAt(this.#root, parsePointer(path));
    const node = ofKey ? found?.key ?? found?.node : found?.node;
    this.#reportAt(node?.offset ?? 0, { path, message, severity });
  }

  /** Whether the value at the pointer, or a value inside it, has an error. */
  isFaulty(pointer: string): boolean {
    return this.#faulty.has(pointer);
  }

  /** The problems in the order of the file. */
  sorted(): ConfigProblem[] {
    const before = (a: ConfigProblem, b: ConfigProblem) =>
      (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
    return this.problems.toSorted(before);
  }

  #reportAt(
    offset: number,
    { path = "", message, severity = "error" }: Partial<ConfigProblem> & { message: string },
  ): void {
    const line = this.#lineOf(offset);
    const column = offset - this.#lines[line - 1]! + 1;
    this.problems.push({ line, column, path, message, severity });
    if (severity !== "error") return;
    for (let at = path; !this.#faulty.has(at); at = at.slice(0, Math.max(at.lastIndexOf("/"), 0))) {
      this.#faulty.add(at);
    }
  }

  /** The line of an offset, from 1. */
  #lineOf(offset: number): number {
    let [from, to] = [0, this.#lines.length];
    while (to - from > 1) {
      const middle = (from + to) >> 1;
      if (this.#lines[middle]! <= offset) from = middle;
      else to = middle;
    }
    return from + 1;
  }

  /** Reports keys that occur twice. The parser uses the last one; a reader may miss it. */
  #reportDuplicates(node: Node, tokens: readonly string[]): void {
    const seen = new Set<string>();
    for (const [index, child] of (node.children ?? []).entries()) {
      const [key, value] = child.type === "property" ? child.children! : [];
      const token = key === undefined ? `${index}` : key.value as string;
      const inner = [...tokens, token];
      if (key !== undefined && seen.has(token)) {
        const message = `${quote(token)} is defined twice; remove one`;
        this.#reportAt(key.offset, { path: pointerOf(inner), message });
      }
      seen.add(token);
      const inside = key === undefined ? child : value;
      if (inside !== undefined) this.#reportDuplicates(inside, inner);
    }
  }

  /** The node at the tokens and its key, or the closest node above it that exists. */
  #nodeAt(root: Node, tokens: readonly string[]): { node: Node; key?: Node } {
    let found: { node: Node; key?: Node } = { node: root };
    for (const token of tokens) {
      const { type, children = [] } = found.node;
      if (type === "array") {
        const item = children[Number(token)];
        if (item === undefined) return found;
        found = { node: item };
        continue;
      }
      const [key, node] = this.#membersOf(found.node).get(token)?.children ?? [];
      if (key === undefined || node === undefined) return found;
      found = { node, key };
    }
    return found;
  }

  /** The members of an object by their keys. The last one with a key wins. */
  #membersOf(object: Node): ReadonlyMap<string, Node> {
    const { children = [] } = object;
    return this.#members.getOrInsertComputed(
      object,
      () => new Map(children.map((each) => [String(each.children?.[0]?.value), each])),
    );
  }
}
