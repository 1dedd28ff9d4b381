import { quote } from "../../../base/text/quote.ts";
import { fieldsOf } from "./notebook_cell.ts";
import { cannot, type FileTarget } from "../../../base/fs/system_error.ts";

/** What a notebook says of itself. */
export interface NotebookDocument {
  /** Its cells, of whatever shape. */
  readonly cells: readonly unknown[];
  /** Whether its cells have ids, as from format 4.5 on. */
  readonly hasIds: boolean;
}

/**
 * Reads the JSON of a notebook of format 4. Throws an error that says what it is
 * when it is something else.
 */
export function parseNotebook(text: string, target: FileTarget): NotebookDocument {
  const fields = fieldsOf(parseJson(text, target));
  const format = fields?.get("nbformat");
  if (typeof format !== "number") {
    throw new Error(`${cannot(target)}: it is not a notebook: its JSON has no "nbformat"`);
  }
  if (format !== 4) {
    const advice = format < 4 ? "; opening and saving it in Jupyter converts it" : "";
    throw new Error(
      `${cannot(target)}: it is a notebook of format ${format}, ` +
        `and NotebookEdit takes format 4${advice}`,
      { cause: { nbformat: format } },
    );
  }
  const cells = fields?.get("cells");
  if (!Array.isArray(cells)) {
    throw new Error(`${cannot(target)}: it is not a notebook: its "cells" are not a list`);
  }
  const minor = fields?.get("nbformat_minor");
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
