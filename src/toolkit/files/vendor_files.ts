/**
 * The commands of Anthropic's file tools. The three tools load this module when they run, so the
 * program has its code once and not three times.
 */

export { runMemory } from "./memory/run_memory.ts";
export { runTextEditor } from "./text_editor/run_text_editor.ts";
export { keepIn, undoEdit } from "./text_editor/undo_edit.ts";
