import type { RegistryEntry } from "./registered_tool.ts";

/** Returns why a tool may not be called, or undefined for a tool that may be called. */
export type ToolFilter = (tool: RegistryEntry) => string | undefined;

/** The disabled tools of a catalogue, each with its reason. */
export class DisabledTools {
  #filters: ToolFilter[] = [];
  #reasons = new Map<string, string>();

  /** The reason why a tool is disabled. */
  reason(name: string): string | undefined {
    return this.#reasons.get(name);
  }

  /** Disables a tool. Returns whether it was enabled. */
  disable(name: string, why: string): boolean {
    const isNew = !this.#reasons.has(name);
    this.#reasons.set(name, why);
    return isNew;
  }

  /** Enables a tool, whatever disabled it. Returns whether it was disabled. */
  enable(name: string): boolean {
    return this.#reasons.delete(name);
  }

  /** Adds a filter for tools that are added later. */
  addFilter(filter: ToolFilter): void {
    this.#filters.push(filter);
  }

  /** Disables a new tool if a filter has a reason against it, and returns the reason. */
  filter(entry: RegistryEntry): string | undefined {
    const why = this.#filters.map((filter) => filter(entry)).find((each) => each !== undefined);
    if (why !== undefined) this.#reasons.set(entry.name, why);
    return why;
  }

  /** A copy with the same filters, for the tools that `has` knows. */
  copy(has: (name: string) => boolean): DisabledTools {
    const copy = new DisabledTools();
    copy.#filters = [...this.#filters];
    copy.#reasons = new Map([...this.#reasons].filter(([name]) => has(name)));
    return copy;
  }

  /** Takes the filters and the reasons of another catalogue for these tools. */
  follow(other: DisabledTools, tools: Iterable<RegistryEntry>): void {
    this.#filters = [...other.#filters];
    this.#reasons.clear();
    for (const entry of tools) {
      const why = other.reason(entry.name);
      if (why === undefined) this.filter(entry);
      else this.#reasons.set(entry.name, why);
    }
  }
}
