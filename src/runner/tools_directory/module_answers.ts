/** The answers of a tool's module. The code of the tool wrote them, so each value is checked. */

import type { ArgumentProblem } from "../../base/argument_problem.ts";
import { isTime } from "../../base/duration.ts";
import { CallError } from "../../base/errors.ts";
import { isObject } from "../../base/json/is_object.ts";
import type { Permission, PermissionKind } from "../registry/define.ts";
import type { ModuleAnswer } from "../registry/tool_module.ts";
import { withoutUrls } from "./module_url.ts";

/** The field of a permission besides its name, by its kind. */
const VALUES = { read: "path", write: "path", net: "host", env: "variable", sys: "kind" } as const;

/** The most permissions that one call can need. */
const MAX_NEEDS = 1_000;

/** The needs of a call in an answer, or the problems of its arguments. Throws a `CallError`. */
export function needsIn(
  answer: ModuleAnswer,
  name: string,
  kinds: readonly PermissionKind[],
): { problems: readonly ArgumentProblem[]; needs: Permission[]; limit: unknown } {
  if ("refused" in answer) {
    const message = answer.refused.replace(/^Error: /, "");
    throw new CallError("invalid_arguments", message, { tool: name });
  }
  if ("fault" in answer) throw new CallError("unavailable", withoutUrls(answer.fault));
  const said: unknown = JSON.parse(answer.said);
  const { problems, needs, timeoutMs: limit }: Record<string, unknown> = isObject(said) ? said : {};
  if (problems !== undefined) {
    const areValid = Array.isArray(problems) && problems.every(isProblem);
    if (areValid) return { problems, needs: [], limit };
    const message = '"rules" must return a list of objects with the strings "path" and "message"';
    throw new CallError("unavailable", message);
  }
  const isValid = Array.isArray(needs) && needs.length <= MAX_NEEDS &&
    needs.every((each) => isPermission(each, kinds));
  if (isValid) return { problems: [], needs, limit };
  throw new CallError(
    "unavailable",
    `"permissions.needs" must return a list of permissions of its "kinds" (${kinds.join(", ")})`,
  );
}

function isProblem(value: unknown): value is ArgumentProblem {
  return isObject(value) && typeof value["path"] === "string" &&
    typeof value["message"] === "string";
}

/** The time limit of an answer. */
export function limitIn(limit: unknown): number {
  if (isTime(limit)) return limit;
  const message = '"timeoutMs" must return a number of milliseconds above 0';
  throw new CallError("unavailable", message);
}

function isPermission(value: unknown, kinds: readonly PermissionKind[]): value is Permission {
  if (!isObject(value)) return false;
  const kind = value["name"] as keyof typeof VALUES;
  return kinds.includes(kind) && Object.hasOwn(VALUES, kind) &&
    typeof value[VALUES[kind]] === "string" &&
    (value["directoriesIn"] === undefined || typeof value["directoriesIn"] === "string");
}
