import { expect } from "@std/expect";
import { parse, type ParseError } from "jsonc-parser";
import { setJsonMember } from "../../../../src/base/json/json_member.ts";

type Path = [string, ...string[]];

const rows: [name: string, before: string, path: string, value: unknown, after: string][] = [
  ["a new file", "", "a/b", 1, `{\n  "a": {\n    "b": 1\n  }\n}\n`],
  [
    "a replaced value",
    `{ "a": 1 /* x */, "b": 2 }`,
    "a",
    [3],
    `{ "a": [\n  3\n] /* x */, "b": 2 }`,
  ],
  ["the same value", `{"a":[1,  2]}`, "a", [1, 2], `{"a":[1,  2]}`],
  ["an item added on one line", `{"a": ["x"], "b": 2}`, "a/-", "y", `{"a": ["x", "y"], "b": 2}`],
  ["an item added to an empty list", `{"a": []}`, "a/0", "y", `{"a": ["y"]}`],
  [
    "an item added on a new line",
    `{\r\n\t"a": [\r\n\t\t"x" // why\r\n\t]\r\n}`,
    "a/1",
    "y",
    `{\r\n\t"a": [\r\n\t\t"x", // why\r\n\t\t"y"\r\n\t]\r\n}`,
  ],
  [
    "a member added after a comment that a lone CR ends",
    `{"a": 1 // x\r}`,
    "b",
    2,
    `{"a": 1, // x\n  "b": 2\n\r}`,
  ],
  ["an item added to a missing list", `{}`, "a/-", "x", `{\n  "a": [\n    "x"\n  ]\n}`],
  ["a replaced item", `{"a": ["x", "y", "z"]}`, "a/1", "b", `{"a": ["x", "b", "z"]}`],
  ["the first member removed", `{"a": 1, "b": 2}`, "a", undefined, `{"b": 2}`],
  ["the last member removed", `{"a": 1, "b": 2}`, "b", undefined, `{"a": 1}`],
  ["the only member removed", `{ "a": 1 }`, "a", undefined, `{ }`],
  ["a missing member removed", `{"a": 1} // x`, "b/c", undefined, `{"a": 1} // x`],
  [
    "a line removed, and the comments stay",
    `{\n  // of a\n  "a": 1,\n  // of b\n  "b": 2 // too\n}\n`,
    "a",
    undefined,
    `{\n  // of a\n  // of b\n  "b": 2 // too\n}\n`,
  ],
  [
    "the last line removed, with the comma before it",
    `{\n  "a": 1, // of a\n  "b": 2 // of b\n}\n`,
    "b",
    undefined,
    `{\n  "a": 1 // of a\n  // of b\n}\n`,
  ],
  ["a trailing comma stays", `{"a": [1, 2,],}`, "a/1", undefined, `{"a": [1, ],}`],
  [
    "a comma on another line",
    `{\n  "a": 1\n  // x\n  , "b": 2\n}`,
    "a",
    undefined,
    `{\n  // x\n   "b": 2\n}`,
  ],
  ["an empty name", `{"": {"": 1}}`, "/", undefined, `{"": {}}`],
];

Deno.test("json entry > one member is set or removed, and every other byte stays", async (t) => {
  for (const [name, before, path, value, after] of rows) {
    await t.step(name, () => {
      expect(setJsonMember(before, { path: path.split("/") as Path, value })).toBe(after);
    });
  }
});

Deno.test("json entry > an impossible change fails with the reason", () => {
  const wrong: [before: string, path: string, says: string][] = [
    [`{"a": 1,`, "a", "it is not valid JSON: line 1"],
    [`[1]`, "a", "the document is not an object"],
    [`{"a": "x"}`, "a/b", '"a" is not an object'],
    [`{"a": ["x"]}`, "a/2", '"a" is a list of 1 items'],
    [`{"a": ["x"]}`, "a/01", '"a" is not an object'],
    [`{"a": ["x"]}`, "a/length", '"a" is not an object'],
    [`{"a": 1, "a": 2}`, "a", 'it has "a" twice; remove one'],
  ];
  for (const [before, path, says] of wrong) {
    const edit = () => setJsonMember(before, { path: path.split("/") as Path, value: 5 });
    expect(edit).toThrow(says);
  }
});

/** A source of numbers below `most`, which are the same in each run. */
function numbers(seed: number): (most: number) => number {
  return (most) => {
    seed = Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d) + 0x9e3779b9 | 0;
    return (seed >>> 0) % most;
  };
}

/** A JSON text with random spelling, and its comments, which are all different. */
function anyText(below: (most: number) => number): { text: string; comments: string[] } {
  const comments: string[] = [];
  const gap = (): string => {
    const comment = `c${comments.length}`;
    switch (below(7)) {
      case 0:
        return comments.push(comment), ` /* ${comment} */ `;
      case 1:
        return comments.push(comment), `// ${comment}\n  `;
      case 2:
        return "\n\t";
      case 3:
        return "\r\n";
      default:
        return below(2) === 0 ? " " : "";
    }
  };
  // A comment between a name and its value is removed with them.
  const inside = () => ["", " ", "\n", "/* own */", "// own\n"][below(5)]!;
  const list = (length: number, item: (at: number) => string) => {
    const items = Array.from({ length }, (_, at) => gap() + item(at) + gap());
    return items.join(",") + (length > 0 && below(3) === 0 ? "," : "") + gap();
  };
  const value = (depth: number): string => {
    if (depth === 0 || below(3) === 0) return ["1", `"a,]}//"`, "null", "true"][below(4)]!;
    if (below(2) === 0) return `[${list(below(4), () => value(depth - 1))}]`;
    return `{${list(below(4), (at) => `"k${at}"${inside()}:${inside()}${value(depth - 1)}`)}}`;
  };
  const text = `${gap()}{${list(1 + below(4), (at) => `"k${at}":${inside()}${value(2)}`)}}${gap()}`;
  return { text, comments };
}

Deno.test("json entry > a change in 3,000 random JSON texts changes only the given member", () => {
  const below = numbers(7);
  for (let round = 0; round < 3_000; round++) {
    const { text, comments } = anyText(below);
    const wanted = parse(text, [], { allowTrailingComma: true });
    const path: string[] = [];
    let holder = wanted;
    for (;;) {
      const keys = Object.keys(holder);
      const last = `${below(keys.length + 1)}`;
      path.push(Array.isArray(holder) ? last : `k${last}`);
      const inner = holder[path.at(-1)!];
      if (typeof inner !== "object" || inner === null || below(2) === 0) break;
      holder = inner;
    }
    const name = path.at(-1)!;
    const old = holder[name];
    const value = below(2) === 0 ? undefined : { new: [below(9)] };
    if (value !== undefined) holder[name] = value;
    else if (Array.isArray(holder)) holder.splice(Number(name), 1);
    else delete holder[name];
    const after = setJsonMember(text, { path: path as Path, value });
    const errors: ParseError[] = [];
    const got = parse(after, errors, { allowTrailingComma: true });
    const isWhole = typeof old === "object" && old !== null;
    const lost = comments.filter((each) => !new RegExp(`${each}\\b`).test(after));
    expect({ text, after, path, errors, got, lost: isWhole ? [] : lost })
      .toEqual({ text, after, path, errors: [], got: wanted, lost: [] });
  }
});
