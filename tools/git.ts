import { defineTool } from "../src/runner/registry/define.ts";
import { changesFiles, requestProblems } from "../src/toolkit/git/git_request.ts";

export default defineTool({
  name: "git",
  title: "Use git",
  description:
    "Uses the git repository of the working directory. Fields: status (paths). diff (revision or range main..HEAD, staged, stat, paths). log (revision, limit, skip, stat, paths). show (revision, stat, paths). blame (one path, revision, start_line, end_line). add (paths). commit (message, all, paths). branch: none to list, (name, create, revision) to create, (name, delete) to delete a merged one. checkout (name, create), (revision), or (paths) to restore. Paths are literal. Runs no programs of the repository, such as hooks. Never fetches or pushes. Output over 30,000 characters is saved to a file.",
  category: "vcs",
  sideEffect: "spawns",
  optionality: "optional",
  usageHint: "To see what changed, by whom and when, and to commit. Plan mode allows reading",
  requires: ["git"],
  inputSchema: {
    type: "object",
    properties: {
      action: {
        type: "string",
        enum: [
          ...["status", "diff", "log", "show", "blame", "add", "commit", "branch", "checkout"],
        ] as const,
        description: "The action.",
      },
      paths: {
        type: "array",
        items: { type: "string", minLength: 1 },
        minItems: 1,
        maxItems: 1000,
        description: "Files and directories, relative to the working directory or absolute.",
      },
      revision: {
        type: "string",
        minLength: 1,
        maxLength: 1000,
        description: "A commit, branch or tag, such as HEAD~2; for diff and log also a range.",
      },
      message: { type: "string", minLength: 1, description: "The commit message." },
      name: { type: "string", minLength: 1, maxLength: 244, description: "The branch name." },
      limit: {
        type: "integer",
        minimum: 1,
        maximum: 1000,
        description: "The number of commits to show. Default: 20.",
      },
      skip: { type: "integer", minimum: 0, description: "The number of commits to skip first." },
      staged: { type: "boolean", description: "Compares staged changes." },
      stat: { type: "boolean", description: "Shows only file names and line counts." },
      all: {
        type: "boolean",
        description: "Commits all changes of tracked files.",
      },
      create: { type: "boolean", description: "Creates the branch." },
      delete: { type: "boolean", description: "Deletes the branch." },
      start_line: { type: "integer", minimum: 1, description: "The first line, from 1." },
      end_line: { type: "integer", minimum: 1, description: "The last line." },
    },
    required: ["action"],
    additionalProperties: false,
  },
  examples: [
    { description: "See what is not committed", input: { action: "status" }, expect: "## " },
    {
      description: "See the last commit",
      input: { action: "log", limit: 1, paths: ["src"] },
      expect: "commit ",
    },
    {
      description: "Commit the changes in a directory",
      input: { action: "commit", message: "Add a sum\n\nIt is needed.", paths: ["src"] },
      expect: "Add a sum",
    },
    {
      description: "Make a branch",
      input: { action: "branch", name: "topic", create: true },
      expect: "Done",
    },
    {
      description: "An option is not taken as a revision",
      input: { action: "diff", revision: "--output=/tmp/x" },
      expect: "an option",
      isError: true,
    },
  ],
  rules: (args) => requestProblems(args),
  permissions: {
    kinds: ["run", "read", "write"],
    needs: (args) => [
      { name: "run", command: "git" },
      { name: "read", path: "." },
      ...(changesFiles(args) ? [{ name: "write", path: "." } as const] : []),
    ],
  },
  changes: (args) => changesFiles(args),
  timeoutMs: 60_000,
  async run(args, ctx) {
    const { git } = await import("../src/toolkit/git/git.ts");
    return await git(args, ctx);
  },
});
