/** The rules of language for the comments in src. */
import { expect } from "@std/expect";

const root = new URL("../../", import.meta.url);

/** Each wording that a comment must not use, by the rule that forbids it. */
const FORBIDDEN: Readonly<Record<string, RegExp>> = {
  'a sentence begins with "What", "That of", "One that" or "Of", and is no question':
    /(?:^|[.!?] |: )(?:What|That of|One that|Of) (?![^.!]*\?)/,
  '"is none" leaves open what is missing': /\bis none\b/,
  '"that is told" hides who knows it': /\bthat is told\b/,
};

function* files(directory: string): Generator<string> {
  for (const entry of Deno.readDirSync(new URL(`${directory}/`, root))) {
    const path = `${directory}/${entry.name}`;
    if (entry.isDirectory) yield* files(path);
    else if (entry.name.endsWith(".ts")) yield path;
  }
}

/** The comments of a source text, each with its line; the lines of a paragraph are joined. */
function comments(text: string): { line: number; comment: string }[] {
  const found = text.matchAll(
    /^ *\/\*\*?([^]*?)\*\/|\/\* (.*?) \*\/|^ *\/\/ (.*(?:\n *\/\/ .*)*)| \/\/ (.*)$/gm,
  );
  return [...found].flatMap((match) => {
    const line = text.slice(0, match.index).split("\n").length;
    const comment = match.slice(1).find((each) => each !== undefined)!;
    const paragraphs = comment.replaceAll(/^ *(?:\*|\/\/) ?/gm, "").split(/\n\s*\n/);
    return paragraphs.map((each) => ({ line, comment: each.replaceAll(/\s+/g, " ").trim() }));
  });
}

Deno.test("language > a comment is a plain sentence with a subject", () => {
  const wrong = [...files("src")].flatMap((path) =>
    comments(Deno.readTextFileSync(new URL(path, root))).flatMap(({ line, comment }) =>
      Object.entries(FORBIDDEN)
        .filter(([, pattern]) => pattern.test(comment))
        .map(([rule]) => `${path}:${line}: ${rule}: ${comment}`)
    )
  );
  expect(wrong).toEqual([]);
});

Deno.test("language > the check finds the comments and the forbidden wordings", () => {
  const text = [
    "/** What a model reads. */",
    "const a = 1; // Of the rest nothing is known.",
    "  // Nothing is checked. One that",
    "  // fails ends.",
    "/**",
    " * A host. Throws for what",
    " * is none.",
    " */",
    "/** What is it? The name of a file. */",
    'const url = "https://a.b/What is";',
  ].join("\n");
  const found = comments(text).map(({ line, comment }) => [
    line,
    Object.values(FORBIDDEN).findIndex((pattern) => pattern.test(comment)),
  ]);
  expect(found).toEqual([[1, 0], [2, 0], [3, 0], [5, 1], [9, -1]]);
});
