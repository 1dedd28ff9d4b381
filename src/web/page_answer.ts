import { byteSize, grouped } from "../files/amounts.ts";
import { quote } from "../quote.ts";
import { visibleLines, visibleText } from "../visible_text.ts";
import type { Redirect, ShownPage } from "./page.ts";

/** How many characters of a page, or of an answer from it, are given at most. */
const MOST_SHOWN = 100_000;
/** How many characters of a title are. */
const MOST_TITLE = 300;

/** A page for a model that answers the prompt itself. */
export function shownPage(page: ShownPage, prompt: string): string {
  const text = visibleLines(page.text);
  const shown = cutAt(text, MOST_SHOWN);
  // What the page says cannot pass for what is said of it: it does not know the mark.
  const mark = `PAGE ${crypto.randomUUID().slice(0, 8)}`;
  const rest = shown.length === text.length ? [] : [
    `Cut: these are the first ${grouped(shown.length)} of ${grouped(text.length)} characters. ` +
    `For the rest, get the file itself, with Bash: curl -sL ${shellWord(page.url)}`,
  ];
  return [
    `URL: ${page.url} (${visibleText(page.type) || "no type given"}, ${byteSize(page.size)})`,
    ...(page.title === "" ? [] : [`Title: ${titleOf(page)}`]),
    ...page.notes,
    ...rest,
    "No model is configured to answer the prompt, so this is the page itself; the prompt was: " +
    quote(prompt, 2000),
    ...(shown === ""
      ? ["The page holds no text"]
      : [`The page stands between the two lines ${mark}`, mark, shown, mark]),
  ].join("\n");
}

/** A title on one line, and not a long one. */
function titleOf({ title }: ShownPage): string {
  const line = visibleText(title).replaceAll(/\s+/g, " ").trim();
  return line.length > MOST_TITLE ? `${cutAt(line, MOST_TITLE)}…` : line;
}

/** Answers a prompt from a text. */
export type AnswerWith = (text: string, prompt: string) => Promise<string>;

/** What a configured model makes of a page and a prompt. */
export async function answeredPage(
  page: ShownPage,
  { prompt, answerWith }: { prompt: string; answerWith: AnswerWith },
): Promise<string> {
  const text = cutAt(page.text, MOST_SHOWN);
  const said = visibleLines(await answerWith(visibleLines(text), prompt));
  const answer = said.length > MOST_SHOWN
    ? `${cutAt(said, MOST_SHOWN)}\n[The answer is cut: it has ${grouped(said.length)} characters]`
    : said;
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
