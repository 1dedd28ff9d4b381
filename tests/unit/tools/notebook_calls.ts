/** Calls of NotebookEdit, and notebooks for them. */
import { checkedNeeds } from "../../support/checked_needs.ts";
import { expect } from "@std/expect";
import notebookEdit from "../../../tools/notebook_edit.ts";
import { scratchDirectory } from "../../support/scratch_directory.ts";
import { contextFor } from "../../support/tool_context.ts";
import { notebookFaults } from "./notebook_schema.ts";

/** The directory of all notebooks, because a directory for each call takes most of the time. */
const directory = scratchDirectory();
globalThis.addEventListener("unload", () => directory[Symbol.dispose]());

/** The arguments of a call. */
export interface Change {
  new_source?: string;
  cell_id?: string;
  cell_type?: "code" | "markdown";
  edit_mode?: "replace" | "insert" | "delete";
}

/** Calls NotebookEdit, and returns its result. */
export async function call(
  notebook_path: string,
  change: Change,
  signal?: AbortSignal,
): Promise<string> {
  const args = { notebook_path, new_source: "", edit_mode: "replace" as const, ...change };
  const needs = checkedNeeds(notebookEdit, args, "/", {});
  expect(needs.map(({ name }) => name)).toEqual(["read", "write"]);
  const result = await notebookEdit.run(args, contextFor("/", signal ? { signal } : {}));
  return typeof result === "string" ? result : "";
}

/** Edits a notebook with the given content. Returns the result or the error message, and the file. */
export async function tried(
  before: string | Uint8Array<ArrayBuffer>,
  change: Change,
): Promise<[said: string, after: string]> {
  const path = `${directory.path}/book.ipynb`;
  Deno.writeFileSync(path, typeof before === "string" ? new TextEncoder().encode(before) : before);
  const said = await call(path, change).catch((error) => error.message);
  expect([...Deno.readDirSync(directory.path)].length).toBe(1);
  const bytes = Deno.readFileSync(path);
  return [
    said.replaceAll(path, "/book"),
    new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes),
  ];
}

/** Edits a notebook, and returns the file, which must be a correct notebook. */
export async function after(before: string, change: Change): Promise<string> {
  const [said, text] = await tried(before, change);
  expect(said).toMatch(/^Edited "\/book": /);
  expect(notebookFaults(text)).toEqual([]);
  return text;
}

/** Tries a change that is refused, and returns the reason. The file must be unchanged. */
export async function refusal(
  before: string | Uint8Array<ArrayBuffer>,
  change: Change,
): Promise<string> {
  const [said, text] = await tried(before, change);
  expect(text).toBe(typeof before === "string" ? before : new TextDecoder().decode(before));
  expect(said).toMatch(/^Cannot edit "\/book": /);
  return said.slice('Cannot edit "/book": '.length);
}

/** A notebook of format 4.5, or of 4.4 for cells without ids, with the given cells. */
export function notebook(...cells: string[]): string {
  const minor = cells.some((cell) => cell.includes('"id"')) ? 5 : 4;
  const list = cells.length === 0 ? "[]" : `[\n  ${cells.join(",\n  ")}\n ]`;
  return `{\n "cells": ${list},\n "metadata": {},\n "nbformat": 4,\n "nbformat_minor": ${minor}\n}\n`;
}

/** The JSON of a Markdown cell. */
export function markdown(id: string, source = `"${id}"`): string {
  return `{"cell_type": "markdown", "id": "${id}", "metadata": {}, "source": ${source}}`;
}
