/** The code of each tool reads exactly the properties that its schema declares. */
import { checkedNeeds } from "../../support/checked_needs.ts";
import { expect } from "@std/expect";
import { askPlainly } from "../../../src/runner/ask/ask_plainly.ts";
import { TerminalInput } from "../../../src/runner/ask/terminal_input.ts";
import type { CallOptions } from "../../../src/runner/call/call.ts";
import { Servers } from "../../../src/runner/call/servers.ts";
import { servicesFor } from "../../../src/runner/call/services.ts";
import { blockText } from "../../../src/base/block_text.ts";
import {
  defineTool,
  type Example,
  type ToolDefinition,
} from "../../../src/runner/registry/define.ts";
import { Registry } from "../../../src/runner/registry/registry.ts";
import type { ToolMetadata } from "../../../src/runner/registry/registered_tool.ts";
import type { Question, SettingValues } from "../../../src/runner/registry/services.ts";
import { entries } from "../../../tools/_generated/index.ts";
import { fixtures, startSite } from "../../support/example_world.ts";
import { temporaryDirectory } from "../../support/temporary_directory.ts";
import { declaredIn, Readings } from "./recorded_arguments.ts";
import { blocksOf, contextFor } from "../../support/tool_context.ts";

const providers = () => import("../../../src/toolkit/provider/providers.ts");
const commands = () => import("../../../src/toolkit/process/run_command.ts");

const grants = { all: true, allow: {}, deny: {} };

/** The environment of an example. */
interface World {
  directory: string;
  site: string;
  state: string;
  /** The user: missing, or silent, with plan mode on a terminal where nobody answers. */
  user: "none" | "silent";
}

/** Calls the tool's code with an example, and records which arguments it reads. */
async function runExample(
  example: Example,
  { tool, metadata, readings, world }: {
    tool: ToolDefinition;
    metadata: ToolMetadata & { validate?: (args: unknown) => boolean };
    readings: Readings;
    world: World;
  },
): Promise<string> {
  const { directory, site, state, user } = world;
  const args = JSON.parse(
    JSON.stringify(example.input).replaceAll("$ROOT", directory).replaceAll("$SERVER", site),
  );
  expect(metadata.validate?.(args) ?? true).toBe(true);
  const recorded = readings.record(args, tool.inputSchema);
  const servers = new Servers({ root: directory, environment: () => ({}), grants });
  const screen = {
    isTerminal: () => false,
    write: ({ length }: Uint8Array) => Promise.resolve(length),
  };
  using terminal = Deno.openSync("/dev/null");
  const { signal } = new AbortController();
  const client = (questions: readonly Question[]) =>
    askPlainly(questions, { input: new TerminalInput(terminal), screen, signal });
  const settings = {
    ...{ registry: new Registry(entries), grants, cwd: directory, servers },
    listeners: { cancelSignal: () => signal },
    ...{ unconfinedRun: false, limits: {}, session: "examples", stateDir: `${state}/state` },
    ...{
      program: { directory: "", workerModule: "", isBundled: true, providers, commands },
      flags: [],
    },
    ask: { screen, ...(user === "silent" && { client }) },
  };
  if (user === "silent") await enterPlanMode(settings);
  const services = servicesFor(metadata, settings, signal);
  try {
    const memoryDirectory = `${Deno.realPathSync(directory)}/memories`;
    const values = {
      ...(metadata.uses?.includes("settings") &&
        await services.serve("settings.values", []) as SettingValues),
      "memory.directory": memoryDirectory,
    };
    checkedNeeds(tool, recorded, directory, values);
    if (typeof tool.timeoutMs === "function") tool.timeoutMs(recorded);
    const context = contextFor(directory, { serve: services.serve, signal, memoryDirectory });
    return blocksOf(await tool.run(recorded, context)).map((block) => blockText(block)).join("\n");
  } catch (error) {
    if (example.isError !== true) throw error;
    return (error as Error).message;
  } finally {
    services.close();
    await servers.closeAll();
  }
}

async function enterPlanMode(settings: CallOptions): Promise<void> {
  const { metadata } = await entries.find(({ name }) => name === "Config")!.load();
  const services = servicesFor(metadata, settings, new AbortController().signal);
  await services.serve("settings.set", ["plan_mode", true]);
  services.close();
}

/** The declared properties that no example reads, and the undeclared ones that the code reads. */
async function disagreement(
  tool: ToolDefinition,
  metadata: ToolMetadata & { validate?: (args: unknown) => boolean },
): Promise<{ unread: string[]; undeclared: string[] }> {
  const readings = new Readings();
  const users = tool.uses?.includes("ask") ? ["none", "silent"] as const : ["none"] as const;
  for (const example of tool.examples) {
    for (const user of users) {
      using directory = fixtures(metadata);
      using state = temporaryDirectory();
      await using site = startSite();
      const world = { directory: directory.path, site: site.host, state: state.path, user };
      await runExample(example, { tool, metadata, readings, world });
    }
  }
  // The engine reads these two properties of a background task.
  const engine = tool.background ? ["/run_in_background", "/description"] : [];
  const ignored = (tool.ignores ?? []).map((key) => `/${key}`);
  return {
    unread: declaredIn(tool.inputSchema)
      .filter((path) => !readings.declared.has(path) && ![...engine, ...ignored].includes(path)),
    undeclared: [...readings.undeclared],
  };
}

for (const { name, load } of entries) {
  Deno.test(`${name} > its examples use every declared property, and its code reads no other property`, async () => {
    const { metadata, validate, load: code } = await load();
    expect(await disagreement(await code(), { ...metadata, validate }))
      .toEqual({ unread: [], undeclared: [] });
  });
}

/** A tool with one example, a schema with a list of objects, and the given code. */
function toolThat(run: (args: never) => string): ToolDefinition {
  const text = { type: "string", description: "A text" } as const;
  const item = {
    type: "object",
    properties: { text, note: text },
    additionalProperties: false,
  } as const;
  return defineTool({
    ...{ name: "t", title: "T", description: "T", category: "utility", sideEffect: "none" },
    ...{ optionality: "optional", usageHint: "For this test" },
    inputSchema: {
      type: "object",
      properties: {
        first: text,
        second: text,
        list: { type: "array", description: "Items", items: item },
      },
      additionalProperties: false,
    },
    examples: [{
      description: "All of it",
      input: { first: "a", second: "b", list: [{ text: "c", note: "d" }] },
      expect: "",
    }],
    permissions: { kinds: [], needs: () => [] },
    run: (args) => run(args as never),
  }) as ToolDefinition;
}

type Sample = {
  first: string;
  second: string;
  third: string;
  list: { text: string; note: string; more: string }[];
};

const checks: [what: string, run: (args: Sample) => unknown, unread: string[], other: string[]][] =
  [
    [
      "every property is read by its name",
      ({ first, second, list }) => [first, second, list.map(({ text, note }) => text + note)],
      [],
      [],
    ],
    [
      "a property that is not read is reported",
      ({ first, list }) => [first, list.map(({ text, note }) => text + note)],
      [
        "/second",
      ],
      [],
    ],
    [
      "an unread and an undeclared property of an item are reported",
      ({ first, second, list }) => [first, second, list[0]!.text, list[0]!.more],
      ["/list/*/note"],
      ["/list/*/more"],
    ],
    [
      "each way to read an undeclared property is reported",
      (args) => [
        ...[
          args.first,
          args.second,
          args.list.flatMap(({ text, note }) => [text, note]),
          args.third,
        ],
        ...["fourth" in args, Object.hasOwn(args, "fifth")],
      ],
      [],
      ["/third", "/fourth", "/fifth"],
    ],
    ["a copy does not count as a read", ({ first, ...rest }) => [first, rest], [
      "/second",
      "/list",
      "/list/*/text",
      "/list/*/note",
    ], []],
    [
      "JSON.stringify does not count as a read",
      (args) => JSON.stringify(args),
      ["/first", "/second", "/list", "/list/*/text", "/list/*/note"],
      [],
    ],
    [
      "lists of all names and values do not count as reads",
      (args) => [Object.keys(args), Object.entries(args).length, { ...args }],
      ["/first", "/second", "/list", "/list/*/text", "/list/*/note"],
      [],
    ],
    [
      "a read by name after a copy counts",
      (
        args,
      ) => [{ ...args }, args.first, args.second, args.list.map(({ text, note }) => [text, note])],
      [],
      [],
    ],
  ];

for (const [what, run, unread, undeclared] of checks) {
  Deno.test(`the check of schemas and code > ${what}`, async () => {
    const tool = toolThat((args) => String(run(args)));
    const metadata = { ...tool, requires: [] } as unknown as ToolMetadata;
    const found = await disagreement(tool, metadata);
    expect(found).toEqual({ unread, undeclared });
  });
}
