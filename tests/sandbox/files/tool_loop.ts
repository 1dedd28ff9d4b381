/**
 * Calls a tool again and again until it is killed. `write FILE` writes the next version of the file
 * each time, `edit FILE` does that by an edit, and `notebook FILE` replaces the cell of a notebook.
 * `mark FILE FIRST COUNT` replaces COUNT marks, one edit each, and ends.
 */
import edit from "../../../tools/edit.ts";
import notebookEdit from "../../../tools/notebook_edit.ts";
import write from "../../../tools/write.ts";
import { contextFor } from "../../support/tool_context.ts";

const [what, file_path = "", first = "0", count = "0"] = Deno.args;
const context = contextFor("/");

/** The text of a file. Each line names the version, and the last line marks the end. */
export function version(number: number): string {
  return `version ${number}\n`.repeat(30_000) + `end of ${number}\n`;
}

/** The text of a notebook with one cell, whose source is a version. */
export function book(number: number): string {
  const source = JSON.stringify(version(number));
  return `{"cells": [{"cell_type": "markdown", "metadata": {}, "source": ${source}}], ` +
    '"metadata": {}, "nbformat": 4, "nbformat_minor": 4}';
}

async function replace(old_string: string, new_string: string, replace_all = false): Promise<void> {
  await edit.run({ file_path, old_string, new_string, replace_all }, context);
}

async function main(): Promise<void> {
  const present = () => Number(/version ([0-9])/.exec(Deno.readTextFileSync(file_path))?.[1]);
  while (what === "write") {
    await write.run({ file_path, content: version((present() + 1) % 10) }, context);
  }
  while (what === "edit") {
    await replace(`${present()}\n`, `${(present() + 1) % 10}\n`, true);
  }
  while (what === "notebook") {
    const new_source = version((present() + 1) % 10);
    const change = { cell_id: "Cell 1", edit_mode: "replace" as const, new_source };
    await notebookEdit.run({ notebook_path: file_path, ...change }, context);
  }
  for (let i = Number(first); i < Number(first) + Number(count); i++) {
    await replace(`<${i}>`, `done ${i}.`);
  }
}

if (import.meta.main) await main();
