import { quote } from "../../../base/text/quote.ts";
import type { Registry } from "../../registry/registry.ts";
import { toolIn } from "../client/tool_names.ts";
import { JsonRpcError } from "../json_rpc_error.ts";

/** The most collisions that one message names. */
const MAX_NAMED = 10;

/**
 * The names of tools with `--upstream-names`: a tool of an MCP server has the name that its server
 * gives it. A name of several tools names none of them.
 */
export class UpstreamNames {
  #owners: Map<string, string[]> | undefined;

  /** Takes the catalogue. */
  constructor(readonly registry: Registry) {
    registry.subscribe(() => this.#owners = undefined);
  }

  /** The name that clients see for a tool of a server; `undefined` for any other tool. */
  shownName(name: string): string | undefined {
    return toolIn(name);
  }

  /** A message for each name that several tools have, with all of these tools. */
  collisions(): string[] {
    return [...this.#ownersByName()].filter(([, owners]) => owners.length > 1)
      .map(([name, owners]) => describe(name, owners));
  }

  /** Throws -32603 if a name has several tools. */
  refuseCollisions(): void {
    const found = this.collisions();
    if (found.length === 0) return;
    const more = found.length > MAX_NAMED ? `; and ${found.length - MAX_NAMED} more` : "";
    const message = `Cannot list the tools: ${found.slice(0, MAX_NAMED).join("; ")}${more}`;
    throw new JsonRpcError("internalError", `${message}; ${ADVICE}`);
  }

  /**
   * Resolves when this name can be resolved: when every server has listed its tools or has failed.
   * Otherwise the fastest server would get a name that several servers use. A full name needs no
   * list. Aborting `signal` ends the wait.
   */
  async waitFor(name: string, toolsListed: Promise<void>, signal: AbortSignal): Promise<void> {
    if (toolIn(name) !== undefined) return;
    const stopped = Promise.withResolvers<void>();
    const stop = () => stopped.resolve();
    signal.addEventListener("abort", stop, { once: true });
    await Promise.race([toolsListed, stopped.promise]);
    signal.removeEventListener("abort", stop);
  }

  /** The name in the catalogue that a client's name stands for. Throws -32602 for several tools. */
  resolve(name: string): string {
    const owners = this.#ownersByName().get(name) ?? [name];
    if (owners.length === 1) return owners[0]!;
    const message = `Cannot call ${quote(name)}: ${describe(name, owners)}; ${ADVICE}`;
    throw new JsonRpcError("invalidParams", message);
  }

  /** The tools that have each name, by their names in the catalogue. */
  #ownersByName(): Map<string, string[]> {
    if (this.#owners !== undefined) return this.#owners;
    const owners = new Map<string, string[]>();
    const add = (name: string, tool: string) => {
      const others = owners.get(name) ?? [];
      if (!others.includes(tool)) owners.set(name, [...others, tool]);
    };
    const apiNames = this.registry.namesForApis();
    for (const { name, aliases } of this.registry.entries()) {
      for (const each of [name, ...aliases, apiNames.get(name) ?? name]) add(each, name);
      const shown = toolIn(name);
      if (shown !== undefined) add(shown, name);
    }
    return this.#owners = owners;
  }
}

const ADVICE = "leave one out with --no-tools=NAME, or omit --upstream-names";

function describe(name: string, owners: readonly string[]): string {
  return `${quote(name)} is the name of ${
    owners.toSorted().map((each) => quote(each)).join(" and ")
  }`;
}
