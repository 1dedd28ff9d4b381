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
 * Checks what a schema cannot express: the fields must fit the action, and no text may look like an
 * option of git. Throws a readable error.
 */
export function checkRequest(request: GitRequest): void {
  const { action, name, revision, paths = [], start_line, end_line } = request;
  const given = Object.keys(request) as (keyof GitRequest)[];
  const foreign = given.filter((field) => field !== "action" && !FIELDS[action].includes(field));
  if (foreign.length > 0) {
    throw refused(action, `takes no ${foreign.join(", ")}; it takes ${FIELDS[action].join(", ")}`);
  }
  for (const [field, text] of Object.entries({ name, revision })) {
    if (text?.startsWith("-")) throw refused(action, `has the ${field} ${quote(text)}, an option`);
  }
  for (const text of [name, revision, request.message, ...paths]) {
    if (text?.includes("\0")) throw refused(action, "has a NUL character in a string");
  }
  const wrong = incomplete(request);
  if (wrong !== undefined) throw refused(action, wrong);
  if (start_line !== undefined && end_line !== undefined && end_line < start_line) {
    throw refused(action, `has the end_line ${end_line} before the start_line ${start_line}`);
  }
}

function incomplete(request: GitRequest): string | undefined {
  const { action, paths = [], name, revision, message } = request;
  switch (action) {
    case "blame":
      return paths.length === 1 ? undefined : "needs one path in paths";
    case "add":
      return paths.length > 0
        ? undefined
        : 'needs paths; use ["."] for everything below the working directory';
    case "commit":
      if (message === undefined || message.trim() === "") return "needs a message";
      return request.all && paths.length > 0 ? "takes either all or paths" : undefined;
    case "branch":
      if (name === undefined) {
        return request.create || request.delete || revision !== undefined
          ? "needs a name"
          : undefined;
      }
      if (request.create && request.delete) return "takes either create or delete";
      if (!request.create && !request.delete) return "takes a name with create or delete";
      return request.delete && revision !== undefined ? "deletes by name, not revision" : undefined;
    case "checkout":
      if (name !== undefined && paths.length > 0) return "takes either a name or paths";
      if (request.create && name === undefined) return "needs a name to create";
      if (name !== undefined && !request.create && revision !== undefined) {
        return "takes a revision beside a name only with create";
      }
      return name === undefined && revision === undefined && paths.length === 0
        ? "needs a name, a revision or paths"
        : undefined;
    default:
      return request.staged && revision?.includes("..")
        ? "takes one revision with staged, not a range"
        : undefined;
  }
}

function refused(action: GitAction, why: string): Error {
  return new Error(`Cannot call git: the action ${action} ${why}`);
}
