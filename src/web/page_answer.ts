import { byteSize, grouped } from "../files/amounts.ts";
import { quote } from "../quote.ts";
import type { Redirect, ShownPage } from "./page.ts";

/** How many characters of a page are given at most. */
const MOST_SHOWN = 100_000;

/** A page for a model that answers the prompt itself. */
export function shownPage(page: ShownPage, prompt: string): string {
  const { text } = page;
  const shown = cutAt(text, MOST_SHOWN);
  const rest = shown.length === text.length ? [] : [
    `[Cut: these are the first ${grouped(shown.length)} of ${grouped(text.length)} characters. ` +
    `For the rest, get the file itself, with Bash: curl -sL ${shellWord(page.url)}]`,
  ];
  return [
    `URL: ${page.url} (${page.type || "no type given"}, ${byteSize(page.size)})`,
    ...(page.title === "" ? [] : [`Title: ${page.title}`]),
    ...page.notes,
    "No model is configured to answer the prompt, so this is the page itself; the prompt was: " +
    quote(prompt, 2000),
    "",
    shown || "[the page holds no text]",
    ...rest,
  ].join("\n");
}

/** Answers a prompt from a text. */
export type AnswerWith = (text: string, prompt: string) => Promise<string>;

/** What a configured model makes of a page and a prompt. */
export async function answeredPage(
  page: ShownPage,
  { prompt, answerWith }: { prompt: string; answerWith: AnswerWith },
): Promise<string> {
  const text = cutAt(page.text, MOST_SHOWN);
  const answer = await answerWith(text, prompt);
  const part = text.length === page.text.length
    ? ""
    : ` from its first ${grouped(text.length)} of ${grouped(page.text.length)} characters`;
  return [`Answered by a model${part}: ${page.url}`, ...page.notes, "", answer].join("\n");
}

/** What is said of a redirect to another host. */
export function redirectText({ from, status, to }: Redirect, prompt: string): string {
  const again = JSON.stringify({ url: to, prompt });
  return `${quote(from, 2000)} redirects (${status}) to another host: ${quote(to, 2000)}\n` +
    `It was not followed. To go on, call WebFetch with ${again}`;
}

/** A word that a shell takes as it is: a URL can hold what it would run. */
function shellWord(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** The start of a text, with no character cut in two. */
function cutAt(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length);
}
