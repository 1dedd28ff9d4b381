import type { Question } from "../registry/services.ts";
import type { Key } from "./keys.ts";
import { charactersOf } from "../../base/terminal/wrap.ts";

/** The state of a question while the user answers it. */
export interface Choice {
  /** The index of the highlighted entry. The entry after the options is for own words. */
  at: number;
  /** The indices of the selected entries of a question with multiple choice. */
  chosen: readonly number[];
  /** The user's own words so far. */
  words: string;
  /** True if the user is writing own words. */
  isWriting: boolean;
  /** A message to the user about the last key. */
  note?: string;
}

/** The state at the beginning. */
export const firstChoice: Choice = { at: 0, chosen: [], words: "", isWriting: false };

/** Applies a key, and returns the next state or the answer. */
export function applyKey(
  choice: Choice,
  key: Key,
  question: Question,
): Choice | { answer: string } {
  const { note: _note, ...rest } = choice;
  return choice.isWriting ? write(rest, key, question) : choose(rest, key, question);
}

function choose(choice: Choice, key: Key, question: Question): Choice | { answer: string } {
  const { options, multiSelect } = question;
  const count = options.length + 1;
  const step = stepOf(key);
  if (step !== 0) return { ...choice, at: (choice.at + step + count) % count };
  const isOther = choice.at === options.length;
  if (key.name === "text") {
    if (/^[1-9]$/.test(key.text) && Number(key.text) <= count) {
      return { ...choice, at: Number(key.text) - 1 };
    }
    if (key.text !== " " || !multiSelect) return choice;
    const isChosen = choice.chosen.includes(choice.at);
    if (isOther && !isChosen) return { ...choice, isWriting: true };
    return { ...choice, chosen: toggled(choice.chosen, choice.at) };
  }
  if (key.name !== "enter") return choice;
  if (isOther && !choice.chosen.includes(choice.at)) return { ...choice, isWriting: true };
  if (!multiSelect) return { answer: options[choice.at]!.label };
  if (choice.chosen.length === 0) {
    return { ...choice, note: "Nothing is selected yet: press Space to select" };
  }
  const labels = options.filter((_, at) => choice.chosen.includes(at)).map(({ label }) => label);
  const own = choice.chosen.includes(options.length) ? [choice.words] : [];
  return { answer: [...labels, ...own].join(", ") };
}

function stepOf(key: Key): number {
  if (key.name === "up" || (key.name === "text" && key.text === "k")) return -1;
  return key.name === "down" || (key.name === "text" && key.text === "j") ? 1 : 0;
}

function toggled(chosen: readonly number[], at: number): number[] {
  return chosen.includes(at) ? chosen.filter((each) => each !== at) : [...chosen, at];
}

function write(choice: Choice, key: Key, question: Question): Choice | { answer: string } {
  if (key.name === "text") return { ...choice, words: choice.words + key.text };
  if (key.name === "clear") return { ...choice, words: "" };
  if (key.name === "backspace") {
    return { ...choice, words: charactersOf(choice.words).slice(0, -1).join("") };
  }
  if (key.name === "escape") return { ...choice, isWriting: false };
  if (key.name !== "enter") return choice;
  const words = choice.words.trim();
  if (words === "") return { ...choice, words, isWriting: false };
  if (!question.multiSelect) return { answer: words };
  return { ...choice, words, isWriting: false, chosen: [...choice.chosen, choice.at] };
}
