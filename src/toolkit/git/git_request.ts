import { type ArgumentProblem, problemIf } from "../../base/argument_problem.ts";
import { quote } from "../../base/text/quote.ts";

type GitAction =
  | "status"
  | "diff"
  | "log"
  | "show"
  | "blame"
  | "add"
  | "commit"
  | "branch"
  | "checkout";

/** The arguments of a call of git, which the schema of the tool describes. */
export type GitRequest = {
  action: GitAction;
  /** Files and directories, relative to the working directory or absolute. */
  paths?: readonly string[];
  /** A commit, or for some actions a range of two. */
  revision?: string;
  message?: string;
  /** The name of a branch. */
  name?: string;
  limit?: number;
  skip?: number;
  staged?: boolean;
  stat?: boolean;
  all?: boolean;
  create?: boolean;
  delete?: boolean;
  /** The first line, counted from 1. */
  start_line?: number;
  end_line?: number;
};

/** The fields that each action uses. */
const FIELDS: Readonly<Record<GitAction, readonly (keyof GitRequest)[]>> = {
  status: ["paths"],
  diff: ["paths", "revision", "staged", "stat"],
  log: ["paths", "revision", "limit", "skip", "stat"],
  show: ["paths", "revision", "stat"],
  blame: ["paths", "revision", "start_line", "end_line"],
  add: ["paths"],
  commit: ["paths", "message", "all"],
  branch: ["name", "revision", "create", "delete"],
  checkout: ["paths", "revision", "name", "create"],
};

/** The actions that change nothing. */
const READING: readonly GitAction[] = ["status", "diff", "log", "show", "blame"];

/** Returns whether a request changes the repository or its files. */
export function changesFiles({ action, name }: GitRequest): boolean {
  return action === "branch" ? name !== undefined : !READING.includes(action);
}

/**
 * The problems that a schema cannot express: the fields must fit the action, and no string may look
 * like an option of git.
 */
export function requestProblems(request: GitRequest): ArgumentProblem[] {
  const { action, name, revision, message, paths = [], start_line, end_line } = request;
  const given = Object.keys(request) as (keyof GitRequest)[];
  const foreign = given.filter((field) => field !== "action" && !FIELDS[action].includes(field));
  const known = FIELDS[action].join(", ");
  const strings = Object.entries({ name, revision, message })
    .concat(paths.map((path, at) => [`paths/${at}`, path]));
  const problems = [
    ...foreign.flatMap((field) =>
      problemIf(true, `/${field}`, `takes no ${field}; it takes ${known}`)
    ),
    ...Object.entries({ name, revision }).flatMap(([field, text]) =>
      problemIf(
        text?.startsWith("-") === true,
        `/${field}`,
        `has the ${field} ${quote(text ?? "")}, an option`,
      )
    ),
    ...strings.flatMap(([field, text]) =>
      problemIf(text?.includes("\0") === true, `/${field}`, "has a NUL character in a string")
    ),
    ...problemIf(
      start_line !== undefined && end_line !== undefined && end_line < start_line,
      "/end_line",
      `has the end_line ${end_line} before the start_line ${start_line}`,
    ),
  ];
  // Fields of another action say more than what is missing for this one.
  const wrong = foreign.length > 0 ? undefined : incomplete(request);
  const all = wrong === undefined ? problems : [{ path: wrong[0], message: wrong[1] }, ...problems];
  return all.map((each) => ({
    ...each,
    message: `Cannot call git: the action ${action} ${each.message}`,
  }));
}

/** The path and the problem of an argument that is missing, or one too many. */
function incomplete(request: GitRequest): [path: string, message: string] | undefined {
  const { action, paths = [], name, revision, message } = request;
  switch (action) {
    case "blame":
      return paths.length === 1 ? undefined : ["/paths", "needs one path in paths"];
    case "add":
      return paths.length > 0
        ? undefined
        : ["/paths", 'needs paths; use ["."] for everything below the working directory'];
    case "commit":
      if (message === undefined || message.trim() === "") return ["/message", "needs a message"];
      return request.all && paths.length > 0 ? ["/all", "takes either all or paths"] : undefined;
    case "branch":
      if (name === undefined) {
        return request.create || request.delete || revision !== undefined
          ? ["/name", "needs a name"]
          : undefined;
      }
      if (request.create && request.delete) return ["/delete", "takes either create or delete"];
      if (!request.create && !request.delete) {
        return ["/create", "takes a name with create or delete"];
      }
      return request.delete && revision !== undefined
        ? ["/revision", "deletes by name, not revision"]
        : undefined;
    case "checkout":
      if (name !== undefined && paths.length > 0) return ["/paths", "takes either a name or paths"];
      if (request.create && name === undefined) return ["/name", "needs a name to create"];
      if (name !== undefined && !request.create && revision !== undefined) {
        return ["/revision", "takes a revision beside a name only with create"];
      }
      return name === undefined && revision === undefined && paths.length === 0
        ? ["/name", "needs a name, a revision or paths"]
        : undefined;
    default:
      return request.staged && revision?.includes("..")
        ? ["/revision", "takes one revision with staged, not a range"]
        : undefined;
  }
}
