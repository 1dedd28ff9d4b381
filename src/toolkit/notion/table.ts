import { type Block, note, type Notes, type RichText } from "./block.ts";
import { inlineText } from "./inline.ts";
import type { Part } from "./markdown.ts";
import { piecesByBlock, textPieces } from "./pieces.ts";

/** A table with its rows as children, the first of them its head. */
export function tableBlock({ parts }: Part, notes: Notes): Block {
  const rows = parts.flatMap((section) => section.parts);
  const width = rows[0]?.parts.length ?? 1;
  if (rows[0]?.parts.some(({ token }) => token.attrGet("style"))) {
    note(notes, "the alignment of a table's columns is left out");
  }
  const children = rows.map(({ parts: cells }) => ({
    type: "table_row",
    body: { cells: cells.map((cell) => cellText(cell, notes)) },
    children: [],
  }));
  return { type: "table", body: { table_width: width, has_column_header: true }, children };
}

/** The text of a cell; where it has too many pieces, without its formatting. Throws for a book. */
function cellText({ parts }: Part, notes: Notes): RichText[] {
  const pieces = parts.flatMap(({ inline }) => inlineText(inline, notes));
  if (piecesByBlock(pieces).length === 1) return pieces;
  note(notes, "a table's cell with more than 100 changes of formatting has none");
  const plain = textPieces(pieces.map(({ text }) => text.content).join(""), { annotations: [] });
  if (piecesByBlock(plain).length === 1) return plain;
  throw new Error("Cannot publish a table with a cell of more than 100,000 characters: shorten it");
}
