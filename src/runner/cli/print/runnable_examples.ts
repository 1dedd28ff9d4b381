import { pathRules } from "../../../base/fs/path_rules.ts";
import { needsOf } from "../../call/authorise.ts";
import type { Example } from "../../registry/define.ts";
import type { RegisteredTool, ToolMetadata } from "../../registry/registered_tool.ts";
import type { Registry } from "../../registry/registry.ts";
import type { Api } from "../../schema/definitions/formats.ts";
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
    const filled = withPlaces(example, cwd);
    const args = structuredClone(filled.input);
    // Fills in the defaults, which `needs` reads.
    registered.validate(args);
    return { ...filled, flags: filled.flags ?? await flagsFor(registered, args, cwd) };
  }));
  return { ...tool, examples };
}

/** The most sample calls that a definition has. Each costs a model tokens in every request. */
const MAX_SAMPLES = 2;

/**
 * The arguments of sample calls of each tool, by its name: those of its first examples that succeed
 * and match its schema. In place of `$ROOT` and `$SERVER` they have what
 * {@link withRunnableExamples} puts there. Undefined if the definitions of `api` have no place for
 * them.
 */
export async function samplesFor(
  api: Api,
  tools: readonly ToolMetadata[],
  { registry, cwd }: { registry: Registry; cwd: string },
): Promise<Map<string, Example["input"][]> | undefined> {
  if (api !== "anthropic") return undefined;
  const samples = tools.map(async ({ name, examples }): Promise<[string, Example["input"][]]> => {
    if (examples.length === 0) return [name, []];
    const registered = await registry.get(name).load();
    // This also compiles the schema of a tool that the program was not built with.
    await registered.load();
    const inputs = examples.filter(({ isError }) => isError !== true)
      .map((example) => withPlaces(example, cwd).input)
      .filter((input) =>
        Object.keys(input).length > 0 && registered.validate(structuredClone(input))
      );
    return [name, inputs.slice(0, MAX_SAMPLES)];
  });
  return new Map(await Promise.all(samples));
}

function withPlaces(example: Example, cwd: string): Example {
  return JSON.parse(
    JSON.stringify(example).replaceAll("$ROOT", JSON.stringify(cwd).slice(1, -1))
      .replaceAll("$SERVER", "example.com"),
  );
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
