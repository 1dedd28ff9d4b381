import { allBut, setOf } from "./code_points.ts";
import type { Rules } from "./rules.ts";
import { inString, literal } from "./terminal.ts";

/** What a text may go on with after the same characters, and whether it may end there. */
interface Branch {
  ends: boolean;
  next: Map<string, Branch>;
}

/**
 * The rule for the keys that are none of `names`, with their quotes. Such a key is written in one
 * way alone, or an escape would make it one of the names after all.
 */
export function otherKeys(rules: Rules, names: readonly string[]): string {
  const root: Branch = { ends: false, next: new Map() };
  for (const name of names) {
    let at = root;
    for (const character of name) {
      const next = at.next.get(character) ?? { ends: false, next: new Map() };
      at.next.set(character, next);
      at = next;
    }
    at.ends = true;
  }
  return rules.add("other-key", `"\\"" ${rest(rules, root)} "\\""`);
}

function rest(rules: Rules, { ends, next }: Branch): string {
  const any = rules.add("key-char", inString(allBut([])).join(" | "));
  const taken = setOf([...next.keys()].map((each) => point(each)));
  const other = rules.add("key-char", inString(allBut(taken)).join(" | "));
  const ways = [
    `${other} ${any}*`,
    ...[...next].map(([character, branch]) =>
      `${literal(JSON.stringify(character).slice(1, -1))} ${rest(rules, branch)}`
    ),
    ...(ends ? [] : ['""']),
  ];
  return rules.add("key-rest", ways.join(" | "));
}

function point(character: string): readonly [number, number] {
  const value = character.codePointAt(0)!;
  return [value, value];
}
