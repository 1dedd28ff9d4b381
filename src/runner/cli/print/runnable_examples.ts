import { resolve } from "@std/path/posix/resolve";
import type { Example, Permission, ToolDefinition } from "../../registry/define.ts";
import type { RegisteredTool, ToolMetadata } from "../../registry/registered_tool.ts";
import type { Registry } from "../../registry/registry.ts";
import { decide } from "../../sandbox/policy/grants.ts";

/** The host in printed examples that stands for a server on the Web. */
const SERVER = "example.com";

/** An example that users can run as it is printed. */
export interface RunnableExample extends Example {
  /** The flags that the call needs. */
  flags: readonly string[];
}

/** The examples of one tool. Tools of MCP servers have none. */
export async function examplesOf(
  registry: Registry,
  { name, examples }: ToolMetadata,
  cwd: string,
): Promise<RunnableExample[]> {
  return examples.length === 0 ? [] : await runnableExamples(await registry.get(name).load(), cwd);
}

/**
 * The examples of a tool with the flags that each needs. In place of `$ROOT` they have `cwd`, the
 * directory in which to run them. In place of `$SERVER` they have a host on the Web.
 */
async function runnableExamples(
  { metadata, validate, load }: RegisteredTool,
  cwd: string,
): Promise<RunnableExample[]> {
  const definition = await load();
  return metadata.examples.map((example) => {
    const filled: Example = JSON.parse(
      JSON.stringify(example).replaceAll("$ROOT", JSON.stringify(cwd).slice(1, -1))
        .replaceAll("$SERVER", SERVER),
    );
    const args = structuredClone(filled.input);
    // Fills in the defaults, which `needs` reads.
    validate(args);
    return { ...filled, flags: filled.flags ?? flagsFor(definition, args, cwd) };
  });
}

/** The flags that grant the permissions of a call. Empty if its arguments are invalid. */
function flagsFor(
  { permissions }: ToolDefinition,
  args: Record<string, unknown>,
  cwd: string,
): string[] {
  const none = { all: false, allow: {}, deny: {} };
  let needs: Permission[];
  try {
    needs = permissions.needs(args, cwd, {});
  } catch {
    return [];
  }
  return [
    ...new Set(
      needs.map((need) =>
        "path" in need
          ? `--allow-${need.name}=${resolve(cwd, need.path).replaceAll(",", ",,")}`
          : need.name === "net"
          ? `--allow-net=${need.host}`
          : decide(need, none).flag
      ),
    ),
  ];
}
