import type { Node, Tree, TreeCursor } from "web-tree-sitter";
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
export interface NameOccurrence {
  /** The kind of definition or use. */
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

/** The options of a search in a tree. */
export interface NamesOptions {
  /** The rules of its language. */
  rules: LanguageRules;
  /** The name; undefined for all definitions. */
  name: string | undefined;
  /** Lets the event loop run once. */
  yieldTurn(): Promise<void>;
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
  { rules, name, yieldTurn }: NamesOptions,
): Promise<FileNames> {
  const found: FileNames = { definitions: [], references: [], errorLines: [] };
  const scopes: Scope[] = [];
  const defined = new Set<number>();
  const identifiers = new Set(rules.identifiers);
  const wanted = name === undefined ? undefined : rules.spelling?.(name) ?? name;
  const cursor = tree.walk();
  const { hasError } = tree.rootNode;
  let nodes = 0;
  for (const depth of preorder(cursor)) {
    if (++nodes % TURN_NODES === 0) await yieldTurn();
    while (scopes.length > 0 && scopes.at(-1)!.depth >= depth) scopes.pop();
    const type = cursor.nodeType;
    if (hasError && (type === "ERROR" || cursor.nodeIsMissing)) {
      found.errorLines.push(cursor.startPosition.row + 1);
    }
    const rule = cursor.nodeIsNamed && Object.hasOwn(rules.definitions, type)
      ? rules.definitions[type]
      : undefined;
    if (rule !== undefined) {
      define(cursor.currentNode, rule, { depth, rules, wanted, scopes, defined, found });
    } else if (wanted !== undefined && identifiers.has(type) && !defined.has(cursor.startIndex)) {
      refer(cursor.currentNode, { wanted, rules, scopes, found });
    }
  }
  cursor.delete();
  return found;
}

interface Defining {
  depth: number;
  rules: LanguageRules;
  wanted: string | undefined;
  scopes: Scope[];
  defined: Set<number>;
  found: FileNames;
}

function define(node: Node, rule: DefinitionRule, state: Defining): void {
  const { depth, rules, wanted, scopes, defined, found } = state;
  const around = scopes.at(-1);
  let opened: Scope | undefined;
  for (const each of namesOf(node, { rules, names: rule.names })) {
    const given = typeof rule.kind === "string" ? rule.kind : rule.kind(node, each);
    if (given === undefined || defined.has(each.startIndex)) continue;
    const kind = given === "function" && isMember(around) ? "method" : given;
    const owner = rule.owner?.(node, each);
    const own = leafName(each);
    const owners = [shortened(around?.name), owner].filter((part) => part !== undefined);
    const name = [...owners, own].join(rules.separator);
    if (rule.isFrame !== true) defined.add(each.startIndex);
    if (wanted === undefined || rule.isFrame !== true && own === wanted) {
      found.definitions.push({
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

function refer(
  node: Node,
  { wanted, rules, scopes, found }: Omit<Defining, "depth" | "defined">,
): void {
  if (leafName(node) !== wanted) return;
  const kind = referenceKind(node, rules);
  if (kind === undefined) return;
  const around = scopes.at(-1);
  found.references.push({
    kind,
    name: around === undefined ? wanted : `${wanted} in ${around.name}`,
    line: node.startPosition.row + 1,
  });
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

function namesOf(
  node: Node,
  { rules, names = "name" }: { rules: LanguageRules; names?: string | undefined },
): Node[] {
  const holders = names === "*" ? node.namedChildren : node.childrenForFieldName(names);
  return holders.flatMap((holder) => holder === null ? [] : boundNames(holder, { rules }));
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
