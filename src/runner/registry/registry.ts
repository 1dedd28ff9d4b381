import { apiNames } from "./api_names.ts";
import { changesBetween, statesOf } from "./registry_changes.ts";
import { checkedEntry, listedDeclarations } from "./checked_entry.ts";
import { DisabledTools, type ToolFilter } from "./disabled_tools.ts";
import { givesWay } from "./gives_way.ts";
import type { Category, Optionality, ToolGroup } from "./define.ts";
import type { RegistryEntry, ToolMetadata } from "./registered_tool.ts";
import {
  EmptyNameError,
  ToolDisabledError,
  ToolExistsError,
  ToolNotFoundError,
} from "./registry_errors.ts";
import {
  type RegistryEvent,
  RegistryListeners,
  type RegistryOptions,
} from "./registry_listeners.ts";
import type { ToolList } from "./tool_list.ts";

/**
 * The catalogue of tools. `constructor` and `__proto__` are unknown names like any other.
 *
 * @example
 * ```ts
 * import { Registry } from "@toolcall/toolcall";
 *
 * const registry = new Registry();
 * const load = () => Promise.reject(new Error("Not needed here"));
 * registry.register({ name: "Echo", aliases: ["Say"], load });
 * console.assert(registry.get("Say") === registry.get("Echo"));
 * ```
 */
export class Registry {
  /** The tools of the constructor, not yet in the maps. A call of one tool need not parse all. */
  #first: ToolList;
  /** Makes the tools of {@link registerLater} that are not yet in the maps. */
  #later: (() => readonly RegistryEntry[])[] = [];
  #entries = new Map<string, RegistryEntry>();
  #byName = new Map<string, RegistryEntry>();
  /** The groups whose tools are listed. */
  #offered = new Set<ToolGroup>();
  /** The tools that are listed although their group is not offered. */
  #listed = new Set<string>();
  /** The tools of `compat` until that group is offered. */
  #unknown: RegistryEntry[] = [];
  #disabled = new DisabledTools();
  readonly #listeners: RegistryListeners;

  /**
   * Creates a registry of copies of these tools. Their names must differ: `deno task generate` checks
   * it. `onFault` takes a sentence about each listener that fails, and each tool that cannot be
   * listed. Throws {@link InvalidToolError}.
   */
  constructor(entries: ToolList = [], { onFault = () => {} }: RegistryOptions = {}) {
    this.#listeners = new RegistryListeners(onFault);
    this.#first = Array.isArray(entries) ? entries.map(checkedEntry) : entries;
  }

  /**
   * Adds a copy of a tool; `entryOf` makes an entry of a definition. Throws {@link InvalidToolError},
   * {@link EmptyNameError} or {@link ToolExistsError} without adding it.
   */
  register(given: RegistryEntry): void {
    const entry = checkedEntry(given);
    const known = this.#names();
    for (const name of [entry.name, ...entry.aliases]) {
      if (name.trim() === "") throw new EmptyNameError();
      const other = known.get(name);
      if (other !== undefined && !givesWay(other, name)) throw new ToolExistsError(name);
    }
    this.#add(entry);
    const { name } = entry;
    // The filters apply before listeners are called, so no listener can get a tool that is
    // filtered.
    const why = this.#disabled.filter(entry);
    this.#listeners.notify({ type: "registered", name });
    if (why !== undefined) this.#listeners.notify({ type: "disabled", name });
  }

  /**
   * Adds tools whose list is made when a tool is not found without it, or when all tools are asked
   * for. A tool whose name is already used is omitted, unless a tool of a group has the name.
   * Listeners are not called.
   */
  registerLater(make: () => readonly RegistryEntry[]): void {
    this.#later.push(make);
  }

  /**
   * Lists the tools of a group from now on, and tools of other groups by their names. A tool whose
   * name is already used is omitted.
   */
  offer(group: ToolGroup, others: readonly string[] = []): void {
    const names = this.#names();
    this.#offered.add(group);
    for (const name of others) this.#listed.add(name);
    const waiting = this.#unknown;
    this.#unknown = [];
    for (const entry of waiting) {
      if (!names.has(entry.name)) this.#addFiltered(entry);
    }
  }

  /** A catalogue of the chosen tools with the same filters, which changes apart from this one. */
  copy(isChosen: (tool: RegistryEntry) => boolean): Registry {
    const copy = new Registry([], this.#listeners);
    copy.#offered = new Set(this.#offered);
    copy.#listed = new Set(this.#listed);
    for (const entry of this.#all().values()) if (isChosen(entry)) copy.#add(entry);
    copy.#unknown = this.#unknown.filter(isChosen);
    copy.#disabled = this.#disabled.copy((name) => copy.#entries.has(name));
    return copy;
  }

  /**
   * Takes the tools of another catalogue, and what it disables. Own tools that `stays` chooses are
   * kept, and the filters of the other catalogue apply to them. Listeners get what has changed.
   */
  follow(other: Registry, stays: (tool: RegistryEntry) => boolean): void {
    const states = () => statesOf(this.all(), this.#disabled);
    const before = states();
    const taken = other.all().filter((entry) => !stays(entry));
    for (const { entry } of before.values()) if (!stays(entry)) this.#remove(entry);
    this.#offered = new Set(other.#offered);
    this.#listed = new Set(other.#listed);
    this.#unknown = [...other.#unknown];
    for (const entry of taken) if (!this.#byName.has(entry.name)) this.#add(entry);
    this.#disabled.follow(other.#disabled, this.#entries.values());
    for (const event of changesBetween(before, states())) this.#listeners.notify(event);
  }

  /** Removes the tool of that name. Throws {@link ToolNotFoundError}. */
  unregister(name: string): void {
    const entry = this.#all().get(name);
    if (entry === undefined) throw new ToolNotFoundError(name);
    this.#remove(entry);
    this.#listeners.notify({ type: "unregistered", name });
  }

  /**
   * Disables a tool: it is not listed, and {@link get} throws for it with the reason `why`. Throws
   * {@link ToolNotFoundError}.
   */
  disable(name: string, why: string): void {
    if (!this.#all().has(name)) throw new ToolNotFoundError(name);
    if (this.#disabled.disable(name, why)) this.#listeners.notify({ type: "disabled", name });
  }

  /** Enables a tool, whatever disabled it. Throws {@link ToolNotFoundError}. */
  enable(name: string): void {
    if (!this.#all().has(name)) throw new ToolNotFoundError(name);
    if (this.#disabled.enable(name)) this.#listeners.notify({ type: "enabled", name });
  }

  /** Disables each tool that `filter` has a reason against, now and when tools are added. */
  addFilter(filter: ToolFilter): void {
    this.#disabled.addFilter(filter);
    for (const entry of this.#all().values()) {
      const why = filter(entry);
      if (why !== undefined) this.disable(entry.name, why);
    }
  }

  /**
   * The tool of that name, alias, or name for the models' APIs. Throws
   * {@link ToolNotFoundError} or {@link ToolDisabledError}.
   */
  get(name: string): RegistryEntry {
    const entry = this.#find(name) ?? this.apiNames().get(name);
    if (entry === undefined) throw new ToolNotFoundError(name);
    const why = this.#disabled.reason(entry.name);
    if (why !== undefined) throw new ToolDisabledError(entry.name, why);
    return entry;
  }

  /** The tools by their names for the models' APIs. */
  apiNames(): Map<string, RegistryEntry> {
    return apiNames(this.#all().values());
  }

  /** The names for the models' APIs by the tools' own names. */
  namesForApis(): Map<string, string> {
    return new Map([...this.apiNames()].map(([name, tool]) => [tool.name, name]));
  }

  /** Whether a tool has that name or alias. */
  has(name: string): boolean {
    return this.#find(name) !== undefined;
  }

  /** The tool with that name or alias. For most names it does not make the maps of all tools. */
  #find(name: string): RegistryEntry | undefined {
    // Only the packed list of the executable has `named`.
    const found = this.#first.named?.(name) ?? this.#byName.get(name);
    // A configured tool that is not yet in the maps takes precedence over a tool of a group.
    return found !== undefined && found.offered === undefined ? found : this.#names().get(name);
  }

  /** All tools, including disabled ones. */
  all(): RegistryEntry[] {
    return [...this.#all().values()];
  }

  /** All tools, including those of groups that are not offered. */
  declared(): RegistryEntry[] {
    return [...this.#all().values(), ...this.#unknown];
  }

  /** All tools that are not disabled. */
  entries(): RegistryEntry[] {
    return this.all().filter(({ name }) => this.#disabled.reason(name) === undefined);
  }

  /** All names and aliases of the tools that are not disabled. */
  names(): string[] {
    return this.entries().flatMap(({ name, aliases }) => [name, ...aliases]);
  }

  /**
   * Copies of the declarations of the tools that are neither disabled nor hidden, sorted by name.
   * Hidden tools have no description, or their group is not offered. A tool whose declaration cannot
   * be loaded is omitted, and `onFault` gets the reason.
   */
  async list(): Promise<ToolMetadata[]> {
    const isOffered = ({ name, offered }: ToolMetadata) =>
      offered === undefined || this.#offered.has(offered) || this.#listed.has(name);
    const tools = await listedDeclarations(this.entries(), this.#listeners);
    return tools.filter(isOffered).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** The listed tools of one category. */
  async listByCategory(category: Category): Promise<ToolMetadata[]> {
    return (await this.list()).filter((tool) => tool.category === category);
  }

  /** The listed tools of one optionality. */
  async listByOptionality(optionality: Optionality): Promise<ToolMetadata[]> {
    return (await this.list()).filter((tool) => tool.optionality === optionality);
  }

  /**
   * Calls `listener` on every change. Returns a function that ends the subscription. `onFault` gets
   * an error of a listener: the change and the other listeners do not depend on it.
   */
  subscribe(listener: (event: RegistryEvent) => void): () => void {
    return this.#listeners.subscribe(listener);
  }

  /** All tools by their own names. */
  #all(): Map<string, RegistryEntry> {
    const first = this.#first;
    this.#first = [];
    for (const entry of first) this.#add(entry);
    const later = this.#later;
    this.#later = [];
    for (const entry of later.flatMap((make) => make())) {
      const other = this.#byName.get(entry.name);
      if (other === undefined || givesWay(other, entry.name)) this.#addFiltered(entry);
    }
    return this.#entries;
  }

  /** All tools by each of their names. */
  #names(): Map<string, RegistryEntry> {
    this.#all();
    return this.#byName;
  }

  #addFiltered(entry: RegistryEntry): void {
    this.#add(entry);
    this.#disabled.filter(entry);
  }

  #add(entry: RegistryEntry): void {
    if (entry.offered === "compat" && !this.#offered.has("compat")) {
      this.#unknown.push(entry);
      return;
    }
    // A tool of a group gives way. It keeps its names that the new tool does not have.
    for (const name of [entry.name, ...entry.aliases]) {
      const other = this.#byName.get(name);
      if (other === undefined) continue;
      this.#remove(other);
      const aliases = other.aliases.filter((alias) => alias !== name);
      if (name !== other.name) this.#addFiltered({ ...other, aliases });
    }
    this.#entries.set(entry.name, entry);
    this.#byName.set(entry.name, entry);
    for (const name of entry.aliases) this.#byName.set(name, entry);
  }

  #remove(entry: RegistryEntry): void {
    this.#entries.delete(entry.name);
    for (const name of [entry.name, ...entry.aliases]) this.#byName.delete(name);
    this.#disabled.enable(entry.name);
  }
}
