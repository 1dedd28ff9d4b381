import { defineTool } from "../src/runner/registry/define.ts";
import { memoryNeeds, memoryProblems } from "../src/toolkit/files/memory/memory_needs.ts";

/** The flags of an example. */
const flags = [
  ...["--memory-dir=$ROOT/memories", "--allow-read=$ROOT/memories"],
  "--allow-write=$ROOT/memories",
];

export default defineTool({
  name: "memory",
  offered: "vendor",
  title: "Keep notes between conversations (memory_20250818)",
  description:
    "Keeps files between conversations, as Anthropic's memory tool. Paths begin with /memories, which is the directory of --memory-dir. view: a file with line numbers, or a directory with sizes. create: a new file. str_replace: replaces old_str, which must occur exactly once. insert: inserts lines after insert_line. delete: a file, or a directory with its contents. rename: to a path that is free.",
  category: "utility",
  sideEffect: "mutating",
  bounded: true,
  optionality: "optional",
  usageHint: "For models that know Anthropic's memory tool",
  inputSchema: {
    type: "object",
    properties: {
      command: {
        type: "string",
        enum: ["view", "create", "str_replace", "insert", "delete", "rename"],
        description: "The command.",
      },
      path: { type: "string", description: "The path, below /memories. Not for rename." },
      view_range: {
        type: "array",
        items: { type: "integer" },
        description: "view: the first and the last line, from 1. -1 is the end of the file.",
      },
      file_text: { type: "string", description: "create: the text of the new file." },
      old_str: { type: "string", description: "str_replace: the text to replace." },
      new_str: {
        type: "string",
        description: "str_replace: the replacement; without it, old_str is removed.",
      },
      insert_line: {
        type: "integer",
        description: "insert: the line after which the text is inserted; 0 is the start.",
      },
      insert_text: { type: "string", description: "insert: the text." },
      old_path: { type: "string", description: "rename: the present path." },
      new_path: { type: "string", description: "rename: the new path." },
    },
    required: ["command"],
    additionalProperties: false,
  },
  examples: [
    {
      description: "See what is remembered",
      input: { command: "view", path: "/memories" },
      expect: "up to 2 levels deep in /memories",
      flags,
    },
    {
      description: "Remember something",
      input: { command: "create", path: "/memories/notes.txt", file_text: "Likes tea\n" },
      expect: "File created successfully at: /memories/notes.txt",
      flags,
    },
    {
      description: "A missing file has no lines",
      input: { command: "view", path: "/memories/missing.txt", view_range: [1, 2] },
      expect: "The path /memories/missing.txt does not exist",
      flags,
      isError: true,
    },
    {
      description: "A missing file cannot be edited",
      input: {
        ...{ command: "str_replace", path: "/memories/missing.txt" },
        ...{ old_str: "tea", new_str: "coffee" },
      },
      expect: "The path /memories/missing.txt does not exist",
      flags,
      isError: true,
    },
    {
      description: "Lines cannot be added to a missing file",
      input: {
        ...{ command: "insert", path: "/memories/missing.txt" },
        ...{ insert_line: 0, insert_text: "Likes cake\n" },
      },
      expect: "The path /memories/missing.txt does not exist",
      flags,
      isError: true,
    },
    {
      description: "A missing file cannot be renamed",
      input: { command: "rename", old_path: "/memories/a.txt", new_path: "/memories/b.txt" },
      expect: "The path /memories/a.txt does not exist",
      flags,
      isError: true,
    },
    {
      description: "No path leaves the directory",
      input: { command: "delete", path: "/memories/../secret.txt" },
      expect: 'it has the name "." or ".."',
      flags,
      isError: true,
    },
  ],
  rules: (args) => memoryProblems(args),
  permissions: {
    kinds: ["read", "write"],
    needs: (args, _cwd, settings) => {
      const directory = settings["memory.directory"];
      return memoryNeeds(args, typeof directory === "string" ? directory : undefined);
    },
  },
  changes: ({ command }) => command !== "view",
  run: async (args, ctx) =>
    await (await import("../src/toolkit/files/vendor_files.ts")).runMemory(args, ctx),
});
