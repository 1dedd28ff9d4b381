import { problemFrom, problemIf } from "../src/base/argument_problem.ts";
import { defineTool } from "../src/runner/registry/define.ts";
import { checkFilePath } from "../src/toolkit/files/check_path.ts";
import { callFile } from "../src/toolkit/files/call_file.ts";
import { withDataIfWanted } from "../src/base/content.ts";

export default defineTool({
  name: "NotebookEdit",
  title: "Edit notebook",
  description:
    "Replaces, inserts or deletes one cell of a Jupyter notebook (format 4, up to 32 MiB). Cells are named as Read shows them: by id, or by number, such as Cell 3. A replaced code cell loses its outputs and execution count. All other bytes of the file stay. The write is atomic and keeps the file's mode. Concurrent edits wait for each other. Returns a unified diff of the cell, and the id of a new cell.",
  category: "code",
  sideEffect: "mutating",
  bounded: true,
  optionality: "optional",
  usageHint: "To change the cells of a notebook (.ipynb) after reading it",
  inputSchema: {
    type: "object",
    properties: {
      notebook_path: {
        type: "string",
        description: "Absolute path of the notebook. ~ and variables are not expanded.",
        pattern: "^/",
      },
      new_source: {
        type: "string",
        description: "The cell's complete new source (ignored for delete).",
      },
      cell_id: {
        type: "string",
        description:
          "The cell to replace or delete, or after which to insert: its id, or Cell 3. Without it, insert adds the cell at the beginning.",
        minLength: 1,
      },
      cell_type: {
        type: "string",
        description: "The cell's type. Required for insert; otherwise optional.",
        enum: ["code", "markdown"],
      },
      edit_mode: {
        type: "string",
        description: "The action.",
        enum: ["replace", "insert", "delete"],
        default: "replace",
      },
    },
    required: ["notebook_path", "new_source"],
    additionalProperties: false,
  },
  examples: [
    {
      description: "Replace a cell's text",
      input: {
        notebook_path: "$ROOT/analysis.ipynb",
        cell_id: "sum",
        new_source: "print(2 + 3)",
      },
      expect: "+print(2 + 3)",
    },
    {
      description: "Insert a cell after another",
      input: {
        notebook_path: "$ROOT/analysis.ipynb",
        edit_mode: "insert",
        cell_id: "intro",
        cell_type: "markdown",
        new_source: "## Method",
      },
      expect: 'after cell 1 (markdown, id "intro")',
    },
    {
      description: "Delete a cell",
      input: {
        notebook_path: "$ROOT/analysis.ipynb",
        edit_mode: "delete",
        cell_id: "intro",
        new_source: "",
      },
      expect: 'deleted cell 1 (markdown, id "intro")',
    },
    {
      description: "An unknown id: the error lists the ids",
      input: { notebook_path: "$ROOT/analysis.ipynb", cell_id: "total", new_source: "" },
      expect: 'its cells are "intro", "sum"',
      isError: true,
    },
  ],
  rules(args) {
    const needed = args.edit_mode === "insert" ? "cell_type" : "cell_id";
    const why = `to ${args.edit_mode} a cell, ${needed} is needed`;
    return [
      ...problemFrom("/notebook_path", () => checkFilePath(args.notebook_path)),
      ...problemIf(args[needed] === undefined, `/${needed}`, why),
    ];
  },
  permissions: {
    kinds: ["read", "write"],
    needs: ({ notebook_path: path }) => [
      { name: "read", path: checkFilePath(path) },
      { name: "write", path },
    ],
  },
  async run(args, ctx) {
    const { notebook_path: given, edit_mode: mode, cell_id: cell, cell_type: type } = args;
    const target = callFile(ctx, { given, action: "edit" });
    const { editNotebook, notebookData } = await import(
      "../src/toolkit/files/notebook/edit_notebook.ts"
    );
    const change = { mode, cell, type, source: args.new_source };
    const edited = await editNotebook(target, { change, signal: ctx.signal });
    return withDataIfWanted(ctx, edited.report, () => notebookData(given, change, edited));
  },
});
