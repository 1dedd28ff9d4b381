import { beside, wrap } from "../../../base/terminal/wrap.ts";
import type { ToolDefinition } from "../../registry/define.ts";
import type { ToolMetadata } from "../../registry/registered_tool.ts";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import { effectStyles, inline, type TextLayout } from "./style.ts";
import { commandLines } from "./example_command.ts";
import { schemaLines } from "./schema_lines.ts";
import type { Style } from "../../../base/terminal/terminal_text.ts";

/** The widest text, in columns. Longer lines are hard to read. */
const MAX_WIDTH = 100;
/** The arguments of a tool without a schema. */
const ANY_ARGUMENTS = "any (none are declared)";

/**
 * The page about one tool, wrapped for people, with examples as commands to paste. `timeoutMs` is
 * the declared time limit of the tool.
 */
export function toolPage(
  tool: ToolMetadata,
  page: TextLayout,
  { timeoutMs }: Pick<ToolDefinition, "timeoutMs"> = {},
): string {
  const width = Math.min(page.width ?? MAX_WIDTH, MAX_WIDTH);
  const { paint } = page;
  const text = (content: string, style?: Style) =>
    wrap(escapeControls(content), width).map((line) => paint(line, style));
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ["", ...text(`${title}:`, "strong"), ...lines];
  const args = schemaLines(tool.inputSchema, { width, paint });
  const isOpen = tool.inputSchema["additionalProperties"] === true;
  const commands = tool.examples.flatMap((each) => [
    ...beside("  ", `${escapeControls(each.description)}:`, { width }),
    // Without a terminal a command is one line.
    ...commandLines(tool.name, each, page.width === undefined ? undefined : width)
      .map((line) => paint(line, "cyan")),
  ]);
  const facts: Fact[] = [
    ["Category", tool.category],
    ["Effect", tool.sideEffect, effectStyles[tool.sideEffect]],
    ["Optionality", tool.optionality],
    ["Permissions", tool.permissionKinds.map((kind) => `--allow-${kind}`).join(", ") || "none"],
    ["Requires", tool.requires.map(inline).join(", ")],
    ["Aliases", tool.aliases.map(inline).join(", ")],
    ["Time limit", timeLimit(timeoutMs)],
    ["Hidden", tool.description === undefined ? "it can be called but is not listed" : ""],
  ];
  const lines = [
    ...text(`${inline(tool.name)}: ${inline(tool.title)}`, "strong"),
    ...(tool.description === undefined ? [] : text(tool.description)),
    ...(tool.usageHint === "" ? [] : text(`When to use: ${tool.usageHint}`)),
    "",
    ...facts.filter(([, value]) => value !== "").flatMap((fact) => factLines(fact, width, paint)),
    ...section("Arguments", args.length > 0 ? args : text(`  ${isOpen ? ANY_ARGUMENTS : "none"}`)),
    ...(tool.outputSchema === undefined
      ? []
      : section("Data of the result", schemaLines(tool.outputSchema, { width, paint }))),
    ...section("Examples", commands),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

/** A property of a tool in a few words. */
type Fact = [key: string, value: string, style?: Style];

function factLines(
  [key, value, style]: Fact,
  width: number,
  paint: TextLayout["paint"],
): string[] {
  const label = `${key}:`.padEnd(13);
  return beside(label, value, { width }).map((line, at) => {
    if (at > 0 || !line.startsWith(label)) return line;
    return paint(label, "faint") + paint(line.slice(label.length), style);
  });
}

/** A time limit in words. Empty if the tool declares none. */
function timeLimit(limit: ToolDefinition["timeoutMs"]): string {
  if (limit === undefined) return "";
  if (typeof limit === "function") return "depends on the arguments";
  if (limit >= 3_600_000) return `${limit / 3_600_000} h`;
  return limit >= 120_000 ? `${limit / 60_000} min` : `${limit / 1000} s`;
}
