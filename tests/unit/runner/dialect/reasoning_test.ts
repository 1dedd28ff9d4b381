/** Calls in the reasoning of a model are not calls. */
import { expect } from "@std/expect";
import { callsInText } from "../../../../src/runner/dialect/model_text.ts";
import { growthOf } from "../../../support/measure.ts";
import { withoutReasoning } from "../../../../src/runner/dialect/reasoning.ts";
import type { TextForm } from "../../../../src/runner/dialect/incoming.ts";

/** How each form writes a call without arguments. */
const forms: Readonly<Record<Exclude<TextForm, "auto">, (name: string) => string>> = {
  hermes: (name) => `<tool_call>{"name":"${name}","arguments":{}}</tool_call>`,
  qwen: (name) => `<function=${name}></function>`,
  mistral: (name) => `[TOOL_CALLS][{"name":"${name}","arguments":{}}]`,
  pythonic: (name) => `[${name}()]`,
};

/** Texts with a call that was only thought about, and one that was made. */
const texts: [name: string, write: (thought: string, made: string) => string][] = [
  ["tags", (thought, made) => `<think>maybe ${thought}</think>\n${made}`],
  ["other tags", (thought, made) => `<thinking>${thought}</thinking>${made}`],
  ["tags in capitals", (thought, made) => `<Reasoning>${thought}</Reasoning>${made}`],
  ["brackets", (thought, made) => `[THINK]${thought}[/THINK]${made}`],
  ["marks of Cohere", (thought, made) => `<|START_THINKING|>${thought}<|END_THINKING|>${made}`],
  ["a channel", (thought, made) => `<|channel|>analysis<|message|>${thought}<|end|>${made}`],
  ["no beginning", (thought, made) => `maybe ${thought}</think>${made}`],
  ["nested tags", (thought, made) => `<think>a <think>b</think> ${thought}</think>${made}`],
  ["a quoted end", (thought, made) => `<think>"</think>" ${thought}</think>${made}`],
];

for (const [form, write] of Object.entries(forms)) {
  for (const [name, textOf] of texts) {
    // A list of Mistral's goes on to the end of the text, so nothing can follow a thought of it.
    if (form === "mistral" && (name === "no beginning" || name === "a quoted end")) continue;
    Deno.test(`reasoning > ${form}: a call in it is not run: ${name}`, async () => {
      const text = textOf(write("Bash"), write("TaskList"));
      for (const textForm of [form as TextForm, "auto" as const]) {
        const { calls } = await callsInText(text, { textForm });
        expect(calls).toEqual([{ name: "TaskList", arguments: {} }]);
      }
    });
  }

  Deno.test(`reasoning > ${form}: the error says that there is a call inside`, async () => {
    for (const text of [`<think>${write("Bash")}</think> Done.`, `<think>${write("Bash")}`]) {
      for (const textForm of [form as TextForm, "auto" as const]) {
        await expect(callsInText(text, { textForm })).rejects.toThrow("only in the reasoning");
      }
    }
  });
}

Deno.test("reasoning > its marks in a call are part of the call", async () => {
  const content = "a <think> b </think> c";
  const json = JSON.stringify({ name: "Write", arguments: { content } });
  for (const text of [`<tool_call>${json}</tool_call>`, `[TOOL_CALLS][${json}]`]) {
    const { calls } = await callsInText(text, { textForm: "auto" });
    expect(calls).toEqual([{ name: "Write", arguments: { content } }]);
  }
  const python = `[Write(content="${content}")]`;
  for (const textForm of ["auto", "pythonic"] as const) {
    const { calls } = await callsInText(python, { textForm });
    expect(calls).toEqual([{ name: "Write", arguments: { content } }]);
  }
  const qwen = `<function=Write><parameter=content>${content}</parameter></function>`;
  expect((await callsInText(qwen, {})).calls).toEqual([{ name: "Write", arguments: { content } }]);
});

Deno.test("reasoning > a hostile text takes linear time", async () => {
  for (const part of ["<think>", "</think>", "<tool_call>", "<|channel|>analysis", "[THINK", "<"]) {
    const growth = await growthOf(256 * 1024, (length) => {
      withoutReasoning(part.repeat(length / part.length));
    });
    expect([part, growth < 50]).toEqual([part, true]);
  }
});
