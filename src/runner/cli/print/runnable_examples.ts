import { pathRules } from "../../../base/fs/path_rules.ts";
import { needsOf } from "../../call/authorise.ts";
import type { Example } from "../../registry/define.ts";
import type { RegisteredTool, ToolMetadata } from "../../registry/registered_tool.ts";
import type { Registry } from "../../registry/registry.ts";
import { flagWith } from "../../sandbox/policy/scope.ts";
import { decide } from "../../sandbox/policy/grants.ts";

/**
 * A tool whose examples can be run as they are printed, with the flags that each needs. In place of
 * `$ROOT` they have `cwd`, the directory in which to run them. In place of `$SERVER` they have a host
 * on the Web.
 */
export async function withRunnableExamples(
  tool: ToolMetadata,
  registry: Registry,
  cwd: string,
): Promise<ToolMetadata> {
  if (tool.examples.length === 0) return tool;
  const registered = await registry.get(tool.name).load();
  // This also compiles the schema of a tool that the program was not built with.
  await registered.load();
  const examples = await Promise.all(tool.examples.map(async (example) => {
    const filled: Example = JSON.parse(
      JSON.stringify(example).replaceAll("$ROOT", JSON.stringify(cwd).slice(1, -1))
        .replaceAll("$SERVER", "example.com"),
    );
    const args = structuredClone(filled.input);
    // Fills in the defaults, which `needs` reads.
    registered.validate(args);
    return { ...filled, flags: filled.flags ?? await flagsFor(registered, args, cwd) };
  }));
  return { ...tool, examples };
}

/** The flags that grant the permissions of a call. Empty if its arguments are invalid. */
async function flagsFor(
  tool: RegisteredTool,
  args: Record<string, unknown>,
  cwd: string,
): Promise<string[]> {
  try {
    const flags = (await needsOf(tool, args, { cwd })).map((need) =>
      "path" in need
        ? flagWith(`--allow-${need.name}`, pathRules.resolve(cwd, need.path))
        : need.name === "net"
        ? `--allow-net=${need.host}`
        : decide(need, { all: false, allow: {}, deny: {} }).flag
    );
    return [...new Set(flags)];
  } catch {
    return [];
  }
}
