import { wrap } from "../../../base/terminal/wrap.ts";
import { isObject } from "../../../base/json/is_object.ts";
import type { CallOptions, ToolCall } from "../../call/call.ts";
import { likelyNeeds } from "../../call/likely_needs.ts";
import type { CallResult } from "../../call/failure.ts";
import type { ToolMetadata } from "../../registry/registered_tool.ts";
import type { CommandLine } from "../command.ts";
import { commandLines } from "./example_command.ts";
import { pastableFlags, repeatCommand } from "./repeat_command.ts";
import { withRunnableExamples } from "./runnable_examples.ts";
import { inline, type TextLayout } from "./style.ts";

/** A call that failed, and how it was made. */
export interface FailedCall {
  /** The call as it was given, as far as it could be read. */
  call: Partial<ToolCall>;
  /** The options that it ran with. */
  options: Pick<CallOptions, "registry" | "cwd">;
  /** The command line. */
  line: CommandLine;
}

/** Lines that say what would work after a failure: a command to paste, the arguments, a next step. */
export async function failureHelp(
  { _meta }: CallResult,
  failed: FailedCall,
  page: TextLayout,
): Promise<string[]> {
  const error = _meta?.["toolcall/error"];
  switch (error?.code) {
    case "permission_denied":
      return await permissionHelp(error["needs"], failed, page);
    case "invalid_arguments":
    case "malformed_call":
      return await argumentsHelp(failed, page);
    case "tool_not_found": {
      const nearest = error["nearest"];
      const step = typeof nearest === "string"
        ? `toolcall describe ${inline(nearest)}`
        : "toolcall list";
      return help(`run "${step}"`, page);
    }
    case "unavailable":
      // An error of the configuration says itself how to correct it.
      if (error["config"] !== undefined) return [];
      return help('run "toolcall doctor" to see what is missing on this machine', page);
    default:
      return [];
  }
}

async function permissionHelp(
  needs: unknown,
  { call, line, options: { registry, cwd } }: FailedCall,
  page: TextLayout,
): Promise<string[]> {
  const refused = Array.isArray(needs) ? needs.filter(isObject) : [];
  const denying = refused.filter(({ denied }) => denied === true).map(({ flag }) => String(flag));
  if (denying.length > 0) {
    const flags = inline([...new Set(denying)].join(" "));
    return help(`leave out ${flags}, which overrides every flag that allows`, page);
  }
  if (refused.length === 0) return [];
  const { name, arguments: input } = call;
  const likely = name !== undefined && input !== undefined && registry.has(name)
    ? await likelyNeeds(await registry.get(name).load(), input, line.grants)
    : [];
  const more = [...refused, ...likely].map(({ flag }) => String(flag));
  const command = name === undefined || input === undefined
    ? []
    : repeatCommand({ name, arguments: input }, { line, more, page });
  if (command.length === 0) return help(`add ${inline(pastableFlags(more).join(" "))}`, page);
  const isBelow = refused.every(({ name, path, flag }) =>
    (name === "read" || name === "write") && String(path).startsWith(`${cwd}/`) &&
    String(flag).startsWith(`--allow-${name}=`)
  );
  const whole = [...new Set(refused.map(({ name }) => `--allow-${name}=.`))].join(" ");
  return [
    ...help("this command grants it:", page),
    ...command,
    ...(isBelow ? help(`${whole} allows the whole directory`, page) : []),
  ];
}

/** The arguments of the tool, and its first example as a command. */
async function argumentsHelp(
  { call: { name }, options: { registry, cwd } }: FailedCall,
  page: TextLayout,
): Promise<string[]> {
  if (name === undefined || !registry.has(name)) {
    const call = `echo '{"name":"fs.read","arguments":{"path":"README.md"}}' | toolcall`;
    return help(`a call is one JSON object, such as ${call}`, page);
  }
  const { metadata } = await registry.get(name).load();
  const { examples: [example] } = await withRunnableExamples(metadata, registry, cwd);
  return [
    ...help(`the arguments are ${argumentList(metadata)}`, page),
    ...(example === undefined ? [] : [
      ...help("an example:", page),
      ...commandLines(metadata.name, example, page.width).map((each) => page.paint(each, "cyan")),
    ]),
    ...help(`for all of it, run "toolcall describe ${inline(metadata.name)}"`, page),
  ];
}

/** The names of the arguments with their types, the required ones first. */
function argumentList({ inputSchema }: ToolMetadata): string {
  const { properties, required } = inputSchema;
  const isRequired = (name: string) => Array.isArray(required) && required.includes(name);
  const all = isObject(properties) ? Object.entries(properties) : [];
  const sorted = [
    ...all.filter(([name]) => isRequired(name)),
    ...all.filter(([name]) => !isRequired(name)),
  ];
  const words = sorted.map(([name, schema]) => {
    const type = isObject(schema) ? [schema["type"] ?? []].flat().join(" or ") : "";
    const facts = [type, isRequired(name) ? "required" : ""].filter((fact) => fact !== "");
    return inline(facts.length === 0 ? name : `${name} (${facts.join(", ")})`);
  });
  return words.join(", ") || "none";
}

function help(text: string, page: TextLayout): string[] {
  const label = "help:";
  const lines = page.width === undefined ? [`${label} ${text}`] : wrap(
    `${label} ${text}`,
    page.width,
  );
  return lines.map((line, at) =>
    at === 0 ? page.paint(label, "cyan") + line.slice(label.length) : line
  );
}
