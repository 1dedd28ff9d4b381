import { defineTool } from "../src/runner/registry/define.ts";
import { changesFiles, checkRequest } from "../src/toolkit/git/git_request.ts";

export default defineTool({
  name: "git",
  title: "Use git",
  description:
    "Works with the git repository that holds the working folder. Fields by action: status (paths); diff (revision, also a range such as main..HEAD, staged, stat, paths); log (revision, limit, skip, stat, paths); show (revision, stat, paths); blame (paths: one, revision, start_line, end_line); add (paths); commit (message, all, paths); branch (none: list; name with create, at revision, or with delete, of what is merged); checkout (name of a branch, with create to make it; revision alone to leave the branch; paths to restore files). Paths are taken literally, never as patterns. No hook, pager, editor or other program of the repository's configuration is run, nothing is fetched or pushed. Of more than 30,000 characters the head and the tail are returned and the whole is kept in a file",
  category: "vcs",
  sideEffect: "spawns",
  optionality: "optional",
  usageHint:
    "To see what changed, who changed it and when, and to commit; plan mode allows what only reads",
  requires: ["git"],
  inputSchema: {
    type: "object",
    properties: {
      action: {
        type: "string",
        enum: [
          ...["status", "diff", "log", "show", "blame", "add", "commit", "branch", "checkout"],
        ] as const,
        description: "What to do",
      },
      paths: {
        type: "array",
        items: { type: "string", minLength: 1 },
        minItems: 1,
        maxItems: 1000,
        description: "Files and folders, relative to the working folder or absolute",
      },
      revision: {
        type: "string",
        minLength: 1,
        maxLength: 1000,
        description: "A commit, branch or tag, such as HEAD~2; for diff and log also a range",
      },
      message: { type: "string", minLength: 1, description: "The message of the commit" },
      name: { type: "string", minLength: 1, maxLength: 244, description: "The name of a branch" },
      limit: {
        type: "integer",
        minimum: 1,
        maximum: 1000,
        description: "How many commits to show; 20 where it is not given",
      },
      skip: { type: "integer", minimum: 0, description: "How many commits to pass over first" },
      staged: { type: "boolean", description: "Whether to compare what is staged" },
      stat: { type: "boolean", description: "Whether to show names and counts of lines alone" },
      all: {
        type: "boolean",
        description: "Whether to commit every change of files that git knows, staged or not",
      },
      create: { type: "boolean", description: "Whether to make the branch" },
      delete: { type: "boolean", description: "Whether to delete the branch" },
      start_line: { type: "integer", minimum: 1, description: "The first line, from 1" },
      end_line: { type: "integer", minimum: 1, description: "The last line" },
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
      description: "Commit what is on the disk of a folder",
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
  permissions: {
    kinds: ["run", "read", "write"],
    needs: (args) => {
      checkRequest(args);
      return [
        { name: "run", command: "git" },
        { name: "read", path: "." },
        ...(changesFiles(args) ? [{ name: "write", path: "." } as const] : []),
      ];
    },
  },
  changes: (args) => changesFiles(args),
  timeoutMs: 60_000,
  async run(args, ctx) {
    const { git } = await import("../src/toolkit/git/git.ts");
    return await git(args, ctx);
  },
});
