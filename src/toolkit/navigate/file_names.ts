import type { Node, Tree, TreeCursor } from "web-tree-sitter";
import type { Yielder } from "../../base/async/yielder.ts";
import { boundNames, leafName, referenceKind } from "./name_nodes.ts";
import type { DefinitionRule, LanguageRules } from "./rules.ts";

/** Kinds whose definitions are members. */
const TYPES = new Set([
  ...["class", "interface", "struct", "union", "enum", "trait", "impl", "record", "annotation"],
  ...["namespace", "module", "variant"],
]);

/** Kinds whose definitions are local. */
const CODE = new Set(["function", "method", "constructor", "destructor"]);

/** Kinds of namespaces: a function inside is not a method. */
const SPACES = new Set(["namespace", "module"]);

/** The number of nodes after which the event loop runs. */
const TURN_NODES = 20_000;

/** The longest owner in the name of a definition, in UTF-16 units. */
const MAX_OWNER = 200;

/** A definition or a use of a name. */
interface NameOccurrence {
  kind: string;
  /** The name; for a definition with its owner: `Shape.area`. */
  name: string;
  /** The line of the name, from 1. */
  line: number;
}

/** A definition. */
export interface NameDefinition extends NameOccurrence {
  /** The first line of the whole definition, from 1. */
  first: number;
  /** The last line. */
  last: number;
  /** The number of definitions around it. */
  level: number;
  /** True if it is directly inside a function. */
  isLocal: boolean;
}

/** The definitions in a file, and the uses of a name. */
export interface FileNames {
  /** The definitions in the order of the text; only those of the name if there is one. */
  definitions: NameDefinition[];
  /** The uses of the name. */
  references: NameOccurrence[];
  /** The lines with syntax errors. */
  errorLines: number[];
}

interface Scope {
  depth: number;
  /** Its name with its owners. */
  name: string;
  kind: string;
}

/**
 * Walks a syntax tree once. With a name it collects the definitions and other uses of that name.
 * Without one it collects all definitions, including those that only contain others.
 */
export async function collectNames(
  tree: Tree,
  { rules, name, yielder }: { rules: LanguageRules; name: string | undefined; yielder: Yielder },
): Promise<FileNames> {
  const identifiers = new Set(rules.identifiers);
  const wanted = name === undefined ? undefined : rules.spelling?.(name) ?? name;
  const collector = new Collector(rules, wanted);
  const { found, scopes, defined } = collector;
  const cursor = tree.walk();
  const { hasError } = tree.rootNode;
  let nodes = 0;
  for (const depth of preorder(cursor)) {
    if (++nodes % TURN_NODES === 0) await yielder.yield();
    while (scopes.length > 0 && scopes.at(-1)!.depth >= depth) scopes.pop();
    const type = cursor.nodeType;
    if (hasError && (type === "ERROR" || cursor.nodeIsMissing)) {
      found.errorLines.push(cursor.startPosition.row + 1);
    }
    const rule = cursor.nodeIsNamed && Object.hasOwn(rules.definitions, type)
      ? rules.definitions[type]
      : undefined;
    if (rule !== undefined) {
      collector.define(cursor.currentNode, rule, depth);
    } else if (wanted !== undefined && identifiers.has(type) && !defined.has(cursor.startIndex)) {
      collector.refer(cursor.currentNode, wanted);
    }
  }
  cursor.delete();
  return found;
}

/** Collects the names of one file. */
class Collector {
  readonly found: FileNames = { definitions: [], references: [], errorLines: [] };
  /** The definitions around the current node, the outermost first. */
  readonly scopes: Scope[] = [];
  /** The positions of the names that are defined. */
  readonly defined = new Set<number>();

  constructor(readonly rules: LanguageRules, readonly wanted: string | undefined) {}

  define(node: Node, rule: DefinitionRule, depth: number): void {
    const { rules, wanted, scopes, defined } = this;
    const around = scopes.at(-1);
    let opened: Scope | undefined;
    for (const each of namesOf(node, rules, rule.names)) {
      const given = typeof rule.kind === "string" ? rule.kind : rule.kind(node, each);
      if (given === undefined || defined.has(each.startIndex)) continue;
      const kind = given === "function" && isMember(around) ? "method" : given;
      const own = leafName(each);
      const owners = [shortened(around?.name), rule.owner?.(node, each)];
      const name = [...owners.filter((part) => part !== undefined), own].join(rules.separator);
      if (rule.isFrame !== true) defined.add(each.startIndex);
      if (wanted === undefined || rule.isFrame !== true && own === wanted) {
        this.found.definitions.push({
          kind,
          name,
          line: each.startPosition.row + 1,
          ...extent(node),
          level: scopes.length,
          isLocal: around !== undefined && CODE.has(around.kind),
        });
      }
      if (TYPES.has(kind) || CODE.has(kind)) opened ??= { depth, name, kind };
    }
    if (opened !== undefined) scopes.push(opened);
  }

  refer(node: Node, wanted: string): void {
    if (leafName(node) !== wanted) return;
    const kind = referenceKind(node, this.rules);
    if (kind === undefined) return;
    const around = this.scopes.at(-1);
    const name = around === undefined ? wanted : `${wanted} in ${around.name}`;
    this.found.references.push({ kind, name, line: node.startPosition.row + 1 });
  }
}

/** The lines of a node. Some nodes end after the newline of their last line. */
function extent({ startPosition, endPosition }: Node): { first: number; last: number } {
  const first = startPosition.row + 1;
  return { first, last: Math.max(first, endPosition.row + (endPosition.column === 0 ? 0 : 1)) };
}

/** Bounds the owners that deep nesting adds to every name. */
function shortened(name: string | undefined): string | undefined {
  return name === undefined || name.length <= MAX_OWNER ? name : `…${name.slice(-MAX_OWNER)}`;
}

function isMember(around: Scope | undefined): boolean {
  return around !== undefined && TYPES.has(around.kind) && !SPACES.has(around.kind);
}

function namesOf(node: Node, rules: LanguageRules, names = "name"): Node[] {
  const holders = names === "*" ? node.namedChildren : node.childrenForFieldName(names);
  return holders.flatMap((holder) => holder === null ? [] : boundNames(holder, rules));
}

/** Moves the cursor through all nodes in preorder, and yields the depth of each. */
function* preorder(cursor: TreeCursor): Generator<number> {
  for (let depth = 0;;) {
    yield depth;
    if (cursor.gotoFirstChild()) {
      depth++;
      continue;
    }
    while (!cursor.gotoNextSibling()) {
      if (!cursor.gotoParent()) return;
      depth--;
    }
  }
}
