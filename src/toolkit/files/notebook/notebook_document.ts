import { quote } from "../../../base/text/quote.ts";
import { cannot, type FileTarget } from "../../../base/fs/system_error.ts";
import { plural, thousands } from "../../../base/text/amounts.ts";
import { isObject } from "../../../base/json/is_object.ts";

/** The largest notebook that is shown or edited as one, in bytes. */
export const NOTEBOOK_LIMIT = 32 * 1024 * 1024;

const MAX_NAMED = 20;

/** The parsed content of a notebook. */
export interface NotebookDocument {
  /** Its cells, which are not checked. */
  readonly cells: readonly unknown[];
  /** True if its cells have ids, as from format 4.5 on. */
  readonly hasIds: boolean;
}

/** The fields of an object; empty for any other value. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

/** A text of a notebook, which is one string or a list of lines. */
export function joinedText(value: unknown): string {
  return [value].flat().filter((part) => typeof part === "string").join("");
}

/** Parses the JSON of a notebook of format 4. Throws a readable error for any other text. */
export function parseNotebook(text: string, target: FileTarget): NotebookDocument {
  const { nbformat, nbformat_minor: minor, cells } = fieldsOf(parseJson(text, target));
  if (typeof nbformat !== "number") {
    throw new Error(`${cannot(target)}: it is not a notebook: its JSON has no "nbformat"`);
  }
  if (nbformat !== 4) {
    const advice = nbformat < 4 ? "; opening and saving it in Jupyter converts it" : "";
    throw new Error(
      `${cannot(target)}: it is a notebook of format ${nbformat}, ` +
        `and NotebookEdit takes format 4${advice}`,
      { cause: { nbformat } },
    );
  }
  if (!Array.isArray(cells)) {
    throw new Error(`${cannot(target)}: it is not a notebook: its "cells" are not a list`);
  }
  return { cells, hasIds: typeof minor === "number" && minor >= 5 };
}

function parseJson(text: string, target: FileTarget): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`${cannot(target)}: its JSON cannot be parsed: ${quote(why)}`);
  }
}

/** A cell's id, or `undefined` when it has none. */
export function cellId(cell: unknown): string | undefined {
  const { id } = fieldsOf(cell);
  return typeof id === "string" && id !== "" ? id : undefined;
}

/**
 * The index of the cell with the given id, or of the cell that Read shows as `Cell 3`. `cell-3`
 * names that cell too if it has no unique id. Throws an error that names the existing cells when no
 * cell matches.
 */
export function findCell(
  cells: readonly unknown[],
  { name, target }: { name: string; target: FileTarget },
): number {
  const ids = cells.map(cellId);
  const places = Map.groupBy(ids.keys(), (at) => ids[at]);
  const names = ids.map((id, at) =>
    id !== undefined && places.get(id)?.length === 1 ? id : `Cell ${at + 1}`
  );
  const found = places.get(name) ?? [];
  if (found.length === 1) return found[0]!;
  if (found.length > 1) {
    const shared = found.map((at) => names[at]!);
    throw new Error(
      `${cannot(target)}: ${plural(found.length, "cell")} have the id ${quote(name)}; ` +
        `use the number of one: ${listed(shared)}`,
      { cause: { cells: shared.slice(0, MAX_NAMED) } },
    );
  }
  const [, link, digits] = /^cell([ -]?)([0-9]+)$/i.exec(name) ?? [];
  const own = names[Number(digits) - 1];
  if (own !== undefined && (link === " " || own === `Cell ${Number(digits)}`)) {
    return Number(digits) - 1;
  }
  // Other programs count such names from 0. If the cell has an id, the caller must use that.
  const hint = own === undefined ? "" : `; cell ${Number(digits)} has the id ${quote(own)}`;
  const there = names.length === 0 ? "the notebook has no cells" : `its cells are ${listed(names)}`;
  throw new Error(`${cannot(target)}: no cell has the id ${quote(name)}${hint}; ${there}`, {
    cause: { cells: names.slice(0, MAX_NAMED) },
  });
}

function listed(names: readonly string[]): string {
  const more = names.length - MAX_NAMED;
  const shown = names.slice(0, MAX_NAMED).map((name) => quote(name)).join(", ");
  return more > 0 ? `${shown} and ${thousands(more)} more` : shown;
}
