import type { CodePoints } from "../../base/gbnf/code_points.ts";
import { quote } from "../../base/text/quote.ts";

/** The fields of every part of a grammar. */
interface Part {
  /** Tells it apart from the others of its grammar. */
  readonly id: number;
  /** True if the empty text fits it. */
  isEmpty: boolean;
  /** True if some text fits it. */
  isPossible: boolean;
}

/** A part of a grammar: a character, a sequence, a choice, a repetition, or the name of a rule. */
export type GrammarNode =
  & Part
  & (
    | { kind: "set"; set: CodePoints; parts: [] }
    | { kind: "sequence" | "choice"; parts: GrammarNode[] }
    | { kind: "repeat"; parts: [GrammarNode]; min: number; max: number }
    | { kind: "rule"; name: string; parts: [] }
  );

/** A grammar: the bodies of its rules by name, of which `root` is the whole text. */
export type Grammar = ReadonlyMap<string, GrammarNode>;

/**
 * Sets `isEmpty` and `isPossible` of every part. Throws for a missing rule and for a rule that begins
 * with itself.
 */
export function checkRules(rules: Grammar): void {
  if (!rules.has("root")) {
    throw new Error('The grammar has no rule "root", which must match the complete text');
  }
  const users = usersOf(rules);
  const changed = new Set(rules.keys());
  for (const name of changed) {
    changed.delete(name);
    const body = rules.get(name)!;
    const { isEmpty, isPossible } = body;
    note(body, rules);
    if (isEmpty === body.isEmpty && isPossible === body.isPossible) continue;
    for (const user of users.get(name) ?? []) changed.add(user);
  }
  for (const body of rules.values()) note(body, rules);
  refuseLeftRecursion(rules);
}

/** For each rule the rules that use it. Throws for a name without a rule. */
function usersOf(rules: Grammar): Map<string, Set<string>> {
  const users = new Map<string, Set<string>>();
  for (const [user, body] of rules) {
    for (const name of namesIn(body)) {
      if (!rules.has(name)) {
        throw new Error(
          `The grammar has no rule ${quote(name)}, which the rule ${quote(user)} uses`,
        );
      }
      users.set(name, (users.get(name) ?? new Set()).add(user));
    }
  }
  return users;
}

function namesIn(node: GrammarNode): string[] {
  return node.kind === "rule" ? [node.name] : node.parts.flatMap(namesIn);
}

/** Sets the flags of a part and of all parts in it by the present flags of the rules. */
function note(node: GrammarNode, rules: Grammar): void {
  const { parts } = node;
  for (const part of parts) note(part, rules);
  switch (node.kind) {
    case "set":
      node.isPossible = node.set.length > 0;
      break;
    case "sequence":
      node.isEmpty = parts.every((each) => each.isEmpty);
      node.isPossible = parts.every((each) => each.isPossible);
      break;
    case "choice":
      node.isEmpty = parts.some((each) => each.isEmpty);
      node.isPossible = parts.some((each) => each.isPossible);
      break;
    case "repeat":
      node.isEmpty = node.min === 0 || node.parts[0].isEmpty;
      node.isPossible = node.min === 0 || node.parts[0].isPossible;
      break;
    case "rule": {
      const { isEmpty, isPossible } = rules.get(node.name)!;
      Object.assign(node, { isEmpty, isPossible });
    }
  }
}

/** The rules that a part can begin with before any character. */
function firstRules(node: GrammarNode): string[] {
  if (node.kind === "rule") return [node.name];
  if (node.kind === "repeat" && node.max === 0) return [];
  if (node.kind !== "sequence") return node.parts.flatMap(firstRules);
  const end = node.parts.findIndex((each) => !each.isEmpty);
  return node.parts.slice(0, end < 0 ? undefined : end + 1).flatMap(firstRules);
}

function refuseLeftRecursion(rules: Grammar): void {
  const done = new Set<string>();
  for (const start of rules.keys()) {
    const path: { name: string; left: string[] }[] = [];
    const open = new Set<string>();
    const enter = (name: string) => {
      open.add(name);
      path.push({ name, left: firstRules(rules.get(name)!) });
    };
    if (!done.has(start)) enter(start);
    for (let last = path.at(-1); last !== undefined; last = path.at(-1)) {
      const next = last.left.pop();
      if (next === undefined) {
        done.add(last.name);
        open.delete(last.name);
        path.pop();
      } else if (open.has(next)) {
        const names = path.map(({ name }) => name);
        const circle = [...names.slice(names.indexOf(next)), next].map((each) => quote(each, 60));
        const shown = circle.length > 8 ? [...circle.slice(0, 7), "…"] : circle;
        throw new Error(
          `The grammar is left-recursive: the rule ${quote(next)} begins with itself ` +
            `(${shown.join(" → ")}); put the repeated part after the first one`,
        );
      } else if (!done.has(next)) enter(next);
    }
  }
}
