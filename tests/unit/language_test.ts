/** The rules of language: for comments, pages, help, descriptions of tools, and messages. */
import { expect } from "@std/expect";
import { filesBelow } from "../../scripts/files_below.ts";
import { flags } from "../../src/runner/cli/flags.ts";
import {
  commandPages,
  exitCodeRows,
  formatRows,
} from "../../src/runner/cli/print/command_pages.ts";
import { settings } from "../../src/runner/registry/setting_definitions.ts";
import { entries } from "../../tools/_generated/index.ts";

const root = new URL("../../", import.meta.url);

/** The directories whose comments are checked. */
const COMMENTED = ["src", "tools", "tests", "scripts"];

/** This file quotes what it forbids. */
const OWN = "tests/unit/language_test.ts";

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
    else if (/\.(?:tsx?|js|c)$/.test(entry.name)) yield path;
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
  const wrong = COMMENTED.flatMap((each) => [...files(each)]).filter((path) => path !== OWN)
    .flatMap((path) =>
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

/**
 * The wordings that the name of a test must not use, each with what to write instead. A name is
 * `subject > sentence`, and an id such as S12 may begin the sentence.
 */
const UNCLEAR_NAMES: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [
    /^(?:what|that of|one that|of|where|when|with|without|under|in|on|at|by|for|from|to|as|until|after|before|if|while|nor|neither|beside|behind|between|among|outside|inside|only what|even|not|also|too)\b(?!.*\?$)/i,
    "a sentence that begins with its subject",
  ],
  [/\balone\b/, "only"],
  [/\btold\b/, "reports, or names"],
  [/\b(?:is|are) none\b(?! of)/, "the name of what is missing"],
  [/\ball the same\b/, "still"],
  [/\bnear\b/, "similar"],
  [/\b(?:lies|stands)\b/, "is"],
  [/\bheld\b|\bholds (?:nothing|it|them)\b/, "sandboxed, restricted, or keeps"],
  [/\bfolders?\b/i, "directory"],
  [/(?<!--)\bwalls?\b/i, "sandbox"],
  [/\bthe person\b/i, "the user"],
  [/\bpassed over\b/, "ignored"],
  [/\bleft out\b/, "omitted"],
  [
    /\bwhat (?:is|was|it|they|he|she|can|cannot|does|do|has|no|the|a|an|nobody|goes|lies|comes|became|becomes|another|others?|must|may|would|will)\b/,
    "the noun that is meant",
  ],
];

/** The names of tests and of their steps in a source text. */
function testNames(source: string): { line: number; name: string }[] {
  const found = source.matchAll(
    /(?:\bDeno\.test(?:\.\w+)?|\.step|\btest[A-Z]\w*|\btestAs)\(\s*(?:\{\s*name:\s*)?(["`])((?:[^\\]|\\.)*?)\1/g,
  );
  return [...found].map(({ index, 2: name }) => ({
    line: source.slice(0, index).split("\n").length,
    name: name!,
  }));
}

/** The faults of the name of a test. */
function faultsOfName(name: string): string[] {
  const sentence = name.split(" > ").at(-1)!.replace(/^[A-Z]+\d+ /, "");
  return UNCLEAR_NAMES.filter(([pattern]) => pattern.test(sentence))
    .map(([, instead]) => `say ${instead}`);
}

/** The tests of code that a small native program replaces. They go with that code. */
const GOING = /^tests\/sandbox\/linux\//;

Deno.test("language > the name of a test is a plain sentence that begins with its subject", () => {
  const wrong = [...files("tests")].filter((path) => path !== OWN && !GOING.test(path)).flatMap((
    path,
  ) =>
    testNames(Deno.readTextFileSync(new URL(path, root))).flatMap(({ line, name }) =>
      faultsOfName(name).map((fault) => `${path}:${line}: ${fault}: ${name}`)
    )
  );
  expect(wrong).toEqual([]);
});

Deno.test("language > the check finds unclear names of tests", () => {
  const source = [
    'Deno.test("limits > what is left ends", () => {});',
    'await t.step("a call fails when its count cannot be stored", () => {});',
    'testAs("programs > S3 of other users nobody is told", fn);',
  ].join("\n");
  const found = testNames(source).map(({ line, name }) => [line, faultsOfName(name).length]);
  expect(found).toEqual([[1, 2], [2, 0], [3, 2]]);
});

/** The most words of a sentence that a user reads, and the most characters of a description. */
const [MAX_WORDS, MAX_DESCRIPTION] = [30, 600];

/** The openings and words that no text for users contains, each with what to write instead. */
const UNCLEAR: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [
    /^(?:What|That of|One that|Of) (?![^.!]*\?)(?!(?:it|a|is) [^.]*$)/,
    "a sentence that begins with its subject",
  ],
  [/\bfolders?\b/i, "directory"],
  [/\b(?<!-)walls?\b(?!=)/i, "sandbox, or sandbox layer"],
  [/\b(?:is|are) told\b/, "reports"],
  [/\b(?:that|it|is) (?:is|are)? ?none\b(?! of)/, "the name of what is missing"],
  [/\bheld (?:by|to|behind)\b|\bnothing holds\b/, "sandboxed, or restricted"],
  [/\bthe person\b/i, "the user"],
  [/\bleft out\b/, "omitted"],
  [/\bpassed over\b/, "ignored"],
  [/\blies where\b|\bstands (?:here|there|at|between|in)\b/, "is"],
  [/\bthe nearest is\b/, "did you mean"],
  [/\blast words\b/, "the last output"],
];

/** The sentences of a text in Markdown, without code, tables' rules and targets of links. */
function sentences(markdown: string): string[] {
  const text = markdown
    .replaceAll(/```[^]*?```|<!--[^]*?-->/g, "\n\n")
    .replaceAll(/`[^`]*`/g, "X")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1");
  return text.split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )|\n(?=[|#])/)
    .flatMap((block) => block.trim().startsWith("|") ? block.split("|") : [block])
    .flatMap((block) => block.replaceAll(/\s+/g, " ").split(/(?<=(?<!\be\.g)[.!?]["*)]*)\s+/))
    .map((sentence) => sentence.replace(/^[\s#>*|-]+/, "").trim());
}

/** The faults of a sentence, by the rules of `MAX_WORDS` and `UNCLEAR`. */
function faultsOf(sentence: string): string[] {
  const words = sentence.split(/\s+/).filter((word) => /\w/.test(word)).length;
  return [
    ...(words > MAX_WORDS ? [`${words} words`] : []),
    ...UNCLEAR.filter(([pattern]) => pattern.test(sentence)).map(([, instead]) => `say ${instead}`),
  ];
}

function faultsIn(place: string, text: string): string[] {
  return sentences(text).flatMap((sentence) =>
    faultsOf(sentence).map((fault) => `${place}: ${fault}: ${sentence}`)
  );
}

Deno.test("language > a page has short sentences with the field's words", () => {
  const pages = ["README.md", "CONTRIBUTING.md", ...filesBelow("docs")]
    .filter((path) => path.endsWith(".md"));
  expect(pages.length).toBeGreaterThan(20);
  const wrong = pages.flatMap((page) => faultsIn(page, Deno.readTextFileSync(new URL(page, root))));
  expect(wrong).toEqual([]);
});

Deno.test("language > help, exit codes and settings have short sentences with the field's words", () => {
  const texts: [place: string, text: string][] = [
    ...flags.map(({ name, help }) => [`--${name}`, help] as [string, string]),
    ...Object.entries(commandPages).flatMap(([name, page]) =>
      [page.summary, ...page.about, ...page.examples.map(([, about]) => about)]
        .map((text) => [name, text] as [string, string])
    ),
    ...[...exitCodeRows, ...formatRows].map(([name, text]) => [name, text] as [string, string]),
    ...settings.map(({ name, description }) => [name, description] as [string, string]),
  ];
  expect(texts.length).toBeGreaterThan(150);
  expect(texts.flatMap(([place, text]) => faultsIn(place, text))).toEqual([]);
});

/** The descriptions in a schema, each with its path. */
function descriptions(schema: unknown, path = ""): [path: string, text: string][] {
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) =>
    key === "description" && typeof value === "string"
      ? [[path, value] as [string, string]]
      : descriptions(value, `${path}/${key}`)
  );
}

Deno.test("language > the description of a tool is short, and of whole sentences", async () => {
  const tools = await Promise.all(entries.map(async ({ load }) => (await load()).metadata));
  const wrong = tools.flatMap(({ name, description = "", inputSchema }) => [
    ...(description.length > MAX_DESCRIPTION ? [`${name}: ${description.length} characters`] : []),
    ...(description !== "" && !/[.!?]$/.test(description) ? [`${name}: no period at its end`] : []),
    ...faultsIn(name, description),
    ...descriptions(inputSchema).flatMap(([path, text]) => [
      ...faultsIn(`${name}${path}`, text),
      ...(/[.!?]$/.test(text) ? [] : [`${name}${path}: no period at its end: ${text}`]),
    ]),
  ]);
  expect(wrong).toEqual([]);
});

/**
 * The parts of a source text that are strings of several words, each with its line. A part may begin
 * within a sentence. SQL does not count.
 */
function messages(source: string): { line: number; text: string }[] {
  return source.split("\n").flatMap((each, index) => {
    if (/^\s*(\/\/|\*|\/\*)/.test(each)) return [];
    const strings = each.match(/"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`?|'(?:[^'\\]|\\.)*'/g) ?? [];
    return strings.map((text) => text.slice(1, -1).replaceAll(/\$\{[^}]*\}/g, "X"))
      .filter((text) => /[a-z]{2,} [a-z]{2,}/i.test(text) && !/^INSERT INTO/.test(text))
      .map((text) => ({ line: index + 1, text }));
  });
}

Deno.test("language > a message has the field's words", () => {
  const wrong = [...files("src"), ...files("tools")]
    .filter((path) => !path.includes("_generated"))
    .flatMap((path) =>
      messages(Deno.readTextFileSync(new URL(path, root))).flatMap(({ line, text }) =>
        UNCLEAR.slice(1).filter(([pattern]) => pattern.test(text))
          .map(([, instead]) => `${path}:${line}: say ${instead}: ${text}`)
      )
    );
  expect(wrong).toEqual([]);
});

Deno.test("language > the check finds long sentences and unclear words", () => {
  const long = `A call ${"very ".repeat(MAX_WORDS)}long. Short.`;
  expect(faultsIn("page", long).length).toBe(1);
  expect(faultsIn("page", "The file is fine. What no flag names stays closed.").length).toBe(1);
  expect(faultsIn("page", "What is a call? It is one line.")).toEqual([]);
  expect(faultsIn("page", "A `folder` is code.\n\n| a folder | b |").length).toBe(1);
  expect(faultsIn("page", "The person is asked before the wall.").length).toBe(2);
  const source = 'fail("it lies where calls write");\n// it lies where calls write\n';
  expect(messages(source)).toEqual([{ line: 1, text: "it lies where calls write" }]);
});
