import { apiNames } from "./api_names.ts";
import type { Category, Optionality } from "./define.ts";
import {
  EmptyNameError,
  ToolDisabledError,
  ToolExistsError,
  ToolNotFoundError,
} from "./registry_errors.ts";
import type { RegistryEntry, ToolList, ToolMetadata } from "./registered_tool.ts";

/** Why a tool may not be called, in words; `undefined` for one that may. */
export type Limit = (tool: RegistryEntry) => string | undefined;

/** What a subscriber is told. */
export interface RegistryEvent {
  /** What happened. */
  type: "registered" | "unregistered" | "enabled" | "disabled";
  /** The name of the tool. */
  name: string;
}

/**
 * The one catalogue of tools. Look-up is by own key only, so `constructor` and
 * `__proto__` are unknown names like any other.
 *
 * @example
 * ```ts
 * const registry = new Registry();
 * registry.subscribe((event) => console.assert(event.name === "Echo"));
 * registry.register({
 *   name: "Echo",
 *   aliases: ["Say"],
 *   load: () => Promise.reject(new Error("Not needed here")),
 * });
 * console.assert(registry.get("Say") === registry.get("Echo"));
 * ```
 */
export class Registry {
  /** Those of the start, until more than one of them is needed: a call of one tool is not to pay for all. */
  #first: ToolList;
  #entries = new Map<string, RegistryEntry>();
  #byName = new Map<string, RegistryEntry>();
  #disabled = new Map<string, string>();
  #limits: Limit[] = [];
  #listeners = new Set<(event: RegistryEvent) => void>();

  /** Begins with these tools, no two of which may share a name: `deno task generate` sees to that. */
  constructor(entries: ToolList = []) {
    this.#first = entries;
  }

  /** Adds a tool. Throws {@link EmptyNameError} or {@link ToolExistsError} and then adds nothing. */
  register(entry: RegistryEntry): void {
    const known = this.#names();
    for (const name of [entry.name, ...entry.aliases]) {
      if (name.trim() === "") throw new EmptyNameError();
      if (known.has(name)) throw new ToolExistsError(name);
    }
    this.#add(entry);
    const { name } = entry;
    // The limits hold before anyone is told: no listener finds open what they close.
    const why = this.#limits.map((limit) => limit(entry)).find((each) => each !== undefined);
    if (why !== undefined) this.#disabled.set(name, why);
    this.#tell({ type: "registered", name });
    if (why !== undefined) this.#tell({ type: "disabled", name });
  }

  /** Takes a tool out, by its name. Throws {@link ToolNotFoundError}. */
  unregister(name: string): void {
    const entry = this.#all().get(name);
    if (entry === undefined) throw new ToolNotFoundError(name);
    this.#entries.delete(name);
    for (const each of [entry.name, ...entry.aliases]) this.#byName.delete(each);
    this.#disabled.delete(name);
    this.#tell({ type: "unregistered", name });
  }

  /**
   * Takes a tool out of the lists and refuses to get it; `why` says what disables it. Throws
   * {@link ToolNotFoundError}.
   */
  disable(name: string, why: string): void {
    if (!this.#all().has(name)) throw new ToolNotFoundError(name);
    const isNew = !this.#disabled.has(name);
    this.#disabled.set(name, why);
    if (isNew) this.#tell({ type: "disabled", name });
  }

  /** Takes back that a tool is disabled, whatever did so. Throws {@link ToolNotFoundError}. */
  enable(name: string): void {
    if (!this.#all().has(name)) throw new ToolNotFoundError(name);
    if (this.#disabled.delete(name)) this.#tell({ type: "enabled", name });
  }

  /** Disables what `limit` names a reason for, of the tools that are here and of those that come. */
  limit(limit: Limit): void {
    this.#limits.push(limit);
    for (const entry of this.#all().values()) {
      const why = limit(entry);
      if (why !== undefined) this.disable(entry.name, why);
    }
  }

  /**
   * The tool of that name, alias, or name for the models' APIs. Throws
   * {@link ToolNotFoundError} or {@link ToolDisabledError}.
   */
  get(name: string): RegistryEntry {
    const entry = this.#first.named?.(name) ??
      this.#names().get(name) ?? this.apiNames().get(name);
    if (entry === undefined) throw new ToolNotFoundError(name);
    const why = this.#disabled.get(entry.name);
    if (why !== undefined) throw new ToolDisabledError(entry.name, why);
    return entry;
  }

  /** Each tool by its name as the models' APIs take it. */
  apiNames(): Map<string, RegistryEntry> {
    return apiNames(this.#all().values());
  }

  /** The name of each tool as the models' APIs take it, by its own name. */
  namesForApis(): Map<string, string> {
    return new Map([...this.apiNames()].map(([name, tool]) => [tool.name, name]));
  }

  /** Whether a tool has that name or alias. */
  has(name: string): boolean {
    return this.#names().has(name);
  }

  /** Every tool, also those that are disabled. */
  all(): RegistryEntry[] {
    return [...this.#all().values()];
  }

  /** Every tool that may be called. */
  entries(): RegistryEntry[] {
    return [...this.#all().values()].filter(({ name }) => !this.#disabled.has(name));
  }

  /** Every name and alias of the tools that may be called. */
  names(): string[] {
    return this.entries().flatMap(({ name, aliases }) => [name, ...aliases]);
  }

  /**
   * Every tool that may be called, sorted by name; the hidden ones, which have no description,
   * are left out.
   */
  async list(): Promise<ToolMetadata[]> {
    const tools = await Promise.all(
      this.entries().map(async (entry) => (await entry.load()).metadata),
    );
    return tools
      .filter((tool) => tool.description !== undefined)
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** The listed tools of one category. */
  async listByCategory(category: Category): Promise<ToolMetadata[]> {
    return (await this.list()).filter((tool) => tool.category === category);
  }

  /** The listed tools of one optionality. */
  async listByOptionality(optionality: Optionality): Promise<ToolMetadata[]> {
    return (await this.list()).filter((tool) => tool.optionality === optionality);
  }

  /** Calls `listener` on every change from now on; the result ends that. */
  subscribe(listener: (event: RegistryEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Every tool by its own name. */
  #all(): Map<string, RegistryEntry> {
    const first = this.#first;
    this.#first = [];
    for (const entry of first) this.#add(entry);
    return this.#entries;
  }

  /** Every tool by each of its names. */
  #names(): Map<string, RegistryEntry> {
    this.#all();
    return this.#byName;
  }

  #add(entry: RegistryEntry): void {
    this.#entries.set(entry.name, entry);
    this.#byName.set(entry.name, entry);
    for (const name of entry.aliases) this.#byName.set(name, entry);
  }

  #tell(event: RegistryEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
