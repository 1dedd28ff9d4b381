import type { ArgumentProblem } from "../../base/argument_problem.ts";
import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import type { ToolMetadata } from "../registry/registered_tool.ts";

/** The most problems in a message. */
const MAX_PROBLEMS = 100;

/** The failure of a call of a tool with these problems in its arguments. */
export function invalidArguments(
  name: string,
  all: readonly ArgumentProblem[],
): CallError {
  const problems = all.slice(0, MAX_PROBLEMS);
  const lines = problems.map(({ path, message }) => `- ${path}: ${message}`);
  if (all.length > MAX_PROBLEMS) lines.push(`- and ${all.length - MAX_PROBLEMS} more problems`);
  return new CallError(
    "invalid_arguments",
    `Invalid arguments for ${quote(name)}:\n${lines.join("\n")}`,
    { tool: name, problems, problemCount: all.length },
  );
}

/**
 * The failure of a call whose arguments break only rules. The text of a vendor's tool is the one that
 * the vendor documents, for the first problem.
 */
export function brokenRules(
  { name, offered }: Pick<ToolMetadata, "name" | "offered">,
  problems: readonly ArgumentProblem[],
): CallError {
  const { code, message, details } = invalidArguments(name, problems);
  const documented = offered === "vendor" ? problems[0]?.message : undefined;
  return new CallError(code, documented ?? message, details);
}
