import type { Question } from "../registry/services.ts";
import { show } from "../../base/terminal/screen.ts";
import { declined, type TerminalOptions } from "./ask_on_terminal.ts";
import { shortPreview } from "./view.ts";
import { escapeControls } from "../../base/text/escape_controls.ts";

/**
 * Asks as `askOnTerminal` does, on a terminal that cannot move the cursor. The terminal itself lets
 * the user edit the line of the answer.
 */
export async function askPlainly(
  questions: readonly Question[],
  options: Omit<TerminalOptions, "hasColor">,
): Promise<Record<string, string>> {
  const answers: [question: string, answer: string][] = [];
  for (const [at, question] of questions.entries()) {
    const place = questions.length === 1 ? "" : `${at + 1}/${questions.length} `;
    await options.input.discard(options.signal);
    answers.push([question.question, await askOne(question, place, options)]);
  }
  return Object.fromEntries(answers);
}

type ReadLine = (prompt: string) => Promise<string>;

async function askOne(
  question: Question,
  place: string,
  { input, screen, signal }: Omit<TerminalOptions, "hasColor">,
): Promise<string> {
  await show(screen, textOf(question, place));
  const readLine: ReadLine = async (prompt) => {
    await show(screen, prompt);
    let text = "";
    while (!text.endsWith("\n")) {
      const more = await input.read({ signal });
      // The user pressed Ctrl-D.
      if (typeof more !== "string") throw declined(question);
      text += more;
    }
    return text.trim();
  };
  const count = question.options.length + 1;
  const what = question.multiSelect ? "Numbers, such as 1,2" : `A number from 1 to ${count}`;
  for (;;) {
    const text = await readLine(`${what}, or your own text: `);
    const answer = await parseAnswer(text, question, readLine);
    if (answer !== undefined) return answer;
  }
}

function textOf({ header, question, options }: Question, place: string): string {
  const entries = options.flatMap(({ label, description, preview = "" }, at) => [
    `  ${at + 1}. ${escapeControls(label)}`,
    `     ${escapeControls(description)}`,
    ...(preview === "" ? [] : shortPreview(preview).split("\n"))
      .map((line) => `     | ${escapeControls(line)}`),
  ]);
  const start = [`${place}${escapeControls(header)}`, escapeControls(question)];
  const lines = [...start, ...entries, `  ${options.length + 1}. Other…`];
  return `${lines.join("\n")}\n`;
}

/** Returns the answer of a line, or `undefined` if the line is empty or out of range. */
async function parseAnswer(
  text: string,
  { options, multiSelect }: Question,
  readLine: ReadLine,
): Promise<string | undefined> {
  if (text === "") return undefined;
  if (!(multiSelect ? /^\d+([ ,]+\d+)*$/ : /^\d+$/).test(text)) return text;
  const numbers = [...new Set(text.split(/[ ,]+/).map(Number))].sort((a, b) => a - b);
  const other = options.length + 1;
  if (numbers.some((number) => number < 1 || number > other)) return undefined;
  const labels = numbers.flatMap((number) => options[number - 1]?.label ?? []);
  const words = numbers.includes(other) ? await readLine("Your own text: ") : undefined;
  if (words === "") return undefined;
  return [...labels, ...(words === undefined ? [] : [words])].join(", ");
}
