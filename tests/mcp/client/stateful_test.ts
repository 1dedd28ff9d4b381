/** Servers with a state, from npm: three calls see one state, however they reach the server. */
// tier: machine
import { expect } from "@std/expect";
import { type Way, ways, type World, world } from "../../support/mcp/client_world.ts";
import { Peer } from "../../support/mcp/peer.ts";
import {
  isMissing,
  type PackageName,
  playwrightServer,
  type ServerEntry,
  statefulServer,
} from "../../support/packages.ts";
import { chromiumPath } from "../../support/ui_page.ts";

type Calls = readonly [tool: string, args: Record<string, unknown>][];

interface Stateful {
  package: PackageName;
  entry: (directory: string) => ServerEntry;
  calls: Calls;
  /** The text of the last result if the server has seen all three calls. */
  says: RegExp;
  isSkipped?: boolean;
}

const thought = (thoughtNumber: number): Calls[number] => [
  "sequentialthinking",
  { thought: "t", nextThoughtNeeded: true, thoughtNumber, totalThoughts: 3 },
];

const page = (text: string): Calls[number] => [
  "browser_navigate",
  { url: `data:text/html,<title>${text}</title><p>${text}</p>` },
];

const servers: readonly Stateful[] = [
  {
    package: "server-sequential-thinking",
    entry: () => statefulServer("server-sequential-thinking"),
    calls: [thought(1), thought(2), thought(3)],
    says: /thoughtHistoryLength": 3/,
  },
  {
    package: "server-memory",
    entry: (directory) => {
      const entry = statefulServer("server-memory");
      return { ...entry, env: { ...entry.env, MEMORY_FILE_PATH: `${directory}/memory.jsonl` } };
    },
    calls: [
      ["create_entities", { entities: [{ name: "a", entityType: "t", observations: ["one"] }] }],
      ["add_observations", { observations: [{ entityName: "a", contents: ["two"] }] }],
      ["read_graph", {}],
    ],
    says: /one[^]*two/,
  },
  {
    package: "playwright",
    entry: () => playwrightServer(chromiumPath!),
    calls: [page("first"), page("second"), ["browser_navigate_back", {}]],
    says: /first/,
    isSkipped: chromiumPath === undefined,
  },
];

/** Makes the calls in one of the ways, and returns the text of the last result. */
async function lastText(way: Way, place: World, calls: Calls): Promise<string> {
  const named = calls.map(([tool, args]) => [`mcp__it__${tool}`, args] as const);
  if (way === "kept") {
    let text = "";
    for (const [name, args] of named) text = textOf(await place.call(name, args));
    return text;
  }
  if (way === "gateway") {
    const flags = ["--allow-mcp", `--state-dir=${place.path}/state`];
    await using peer = Peer.start(flags, { cwd: place.path });
    await peer.initialize();
    let text = "";
    for (const [name, args] of named) text = textOf((await peer.call(name, args)).result);
    return text;
  }
  const content = named.map(([name, input], at) => ({
    type: "tool_use",
    id: `${at}`,
    name,
    input,
  }));
  const stdin = JSON.stringify({ role: "assistant", content });
  const { stdout } = await place.run(["--allow-mcp"], { stdin });
  return textOf(JSON.parse(stdout).at(-1));
}

function textOf({ content }: { content: { text?: string }[] }): string {
  return content.map(({ text = "" }) => text).join("\n");
}

const says: Readonly<Record<Way, string>> = {
  alone: "one message",
  kept: "three processes and a kept server",
  gateway: "a client of the gateway",
};

for (const server of servers) {
  const ignore = server.isSkipped || await isMissing(server.package);
  for (const way of ways) {
    Deno.test({
      name: `mcp client > three calls of ${says[way]} share the state of ${server.package}`,
      ignore,
      fn: async () => {
        using place = world((directory) => ({ it: server.entry(directory) }), { way });
        expect(await lastText(way, place, server.calls)).toMatch(server.says);
      },
    });
  }
}
