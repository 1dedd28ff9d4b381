import type { GitRequest } from "./git_request.ts";

/** The default number of commits in a log. */
export const DEFAULT_LIMIT = 20;

const COMMIT_FORMAT = "--format=commit %H%d%nAuthor: %an <%ae>%nDate:   %ad%n%n%w(0,4,4)%B";

/** These options start no program of the configuration and do not look into submodules. */
const DIFF = [
  ...["--no-ext-diff", "--no-textconv", "--no-color", "--submodule=short"],
  "--ignore-submodules=dirty",
];

const COMMITS = ["--no-show-signature", "--no-notes", "--decorate=short", "--date=iso-strict"];

/**
 * The arguments of git for a checked request. `object` is the revision as the id of an object, or
 * as two ids with dots between them. So git cannot take a text of the request for an option.
 */
export function commandOf(request: GitRequest, object: string | undefined): string[] {
  const paths = ["--", ...request.paths ?? []];
  const objects = object === undefined ? [] : [object];
  const diff = [...DIFF, ...(request.stat ? ["--stat"] : [])];
  switch (request.action) {
    case "status":
      return [
        ...["status", "--short", "--branch", "--ignore-submodules=dirty", "--no-column"],
        ...paths,
      ];
    case "diff":
      return ["diff", ...diff, ...(request.staged ? ["--cached"] : []), ...objects, ...paths];
    case "log": {
      const count = [
        `--max-count=${request.limit ?? DEFAULT_LIMIT}`,
        `--skip=${request.skip ?? 0}`,
      ];
      return [
        ...["log", COMMIT_FORMAT, ...COMMITS, ...count, ...(request.stat ? diff : ["--no-patch"])],
        ...[...objects, ...paths],
      ];
    }
    case "show":
      return ["show", COMMIT_FORMAT, ...COMMITS, ...diff, object ?? "HEAD", ...paths];
    case "blame":
      return [
        // A repository could name any file, and an error would print a line of it.
        ...["blame", "--no-ignore-revs-file", "--no-textconv", "--no-progress", "--date=short"],
        ...linesOf(request),
        ...[...objects, ...paths],
      ];
    case "add":
      return ["add", "--verbose", ...paths];
    case "commit":
      return [
        ...["commit", "--cleanup=whitespace", "--no-edit", "--no-verify", "--no-status"],
        ...(request.all ? ["--all"] : []),
        ...[`--message=${request.message}`, ...paths],
      ];
    case "branch":
      return branchCommand(request, objects);
    case "checkout":
      return checkoutCommand(request, { objects, paths });
  }
}

function linesOf({ start_line, end_line }: GitRequest): string[] {
  if (start_line === undefined && end_line === undefined) return [];
  return [`-L${start_line ?? 1},${end_line ?? ""}`];
}

function branchCommand(request: GitRequest, objects: readonly string[]): string[] {
  const { name } = request;
  if (name === undefined) {
    return ["branch", "--list", "--all", "-vv", "--no-color", "--no-column"];
  }
  return request.delete
    ? ["branch", "--delete", "--", name]
    : ["branch", "--no-track", "--", name, ...objects];
}

function checkoutCommand(
  { name, paths: given = [], create }: GitRequest,
  { objects, paths }: { objects: readonly string[]; paths: readonly string[] },
): string[] {
  const how = ["checkout", "--no-recurse-submodules", "--no-progress", "--no-guess"];
  if (given.length > 0) return [...how, ...objects, ...paths];
  // Without --quiet git would look into the submodules of the new branch.
  how.push("--quiet");
  if (name === undefined) return [...how, "--detach", ...objects, "--"];
  return create ? [...how, "--no-track", "-b", name, ...objects, "--"] : [...how, name, "--"];
}
