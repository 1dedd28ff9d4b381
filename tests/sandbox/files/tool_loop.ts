/**
 * Calls a tool again and again until it is killed: `write FILE` rewrites the
 * file with versions of itself, `edit FILE` swaps two texts in it, `notebook FILE`
 * replaces the cell of a notebook, and `mark FILE FIRST COUNT` replaces COUNT
 * marks, one edit each, and ends.
 */
import edit from "../../../tools/edit.ts";
import notebookEdit from "../../../tools/notebook_edit.ts";
import write from "../../../tools/write.ts";
import { contextFor } from "../../support/tool_context.ts";

const [what, file_path = "", first = "0", count = "0"] = Deno.args;
const context = contextFor("/");

/** A whole file: each line tells its version, and the last its end. */
export function version(number: number): string {
  return `version ${number}\n`.repeat(30_000) + `end of ${number}\n`;
}

/** A whole notebook, the text of its only cell being a version. */
export function book(number: number): string {
  const source = JSON.stringify(version(number));
  return `{"cells": [{"cell_type": "markdown", "metadata": {}, "source": ${source}}], ` +
    '"metadata": {}, "nbformat": 4, "nbformat_minor": 4}';
}

async function replace(old_string: string, new_string: string, replace_all = false): Promise<void> {
  await edit.run({ file_path, old_string, new_string, replace_all }, context);
}

async function main(): Promise<void> {
  for (let i = 0; what === "write"; i++) {
    await write.run({ file_path, content: version(i % 10) }, context);
  }
  while (what === "edit") {
    const is = Deno.readTextFileSync(file_path).slice(8, 9);
    const next = String((Number(is) + 1) % 10);
    await replace(`${is}\n`, `${next}\n`, true);
  }
  while (what === "notebook") {
    const is = /version ([0-9])/.exec(Deno.readTextFileSync(file_path))?.[1];
    const new_source = version((Number(is) + 1) % 10);
    const change = { cell_id: "Cell 1", edit_mode: "replace" as const, new_source };
    await notebookEdit.run({ notebook_path: file_path, ...change }, context);
  }
  for (let i = Number(first); i < Number(first) + Number(count); i++) {
    await replace(`<${i}>`, `done ${i}.`);
  }
}

if (import.meta.main) await main();
