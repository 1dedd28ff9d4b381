import { apiNames } from "./api_names.ts";
import type { Category, Optionality, ToolDefinition } from "./define.ts";

/** A tool's declaration as plain data: all of it but what is behaviour. */
export type ToolMetadata =
  & Omit<
    ToolDefinition,
    "inputSchema" | "outputSchema" | "permissions" | "timeoutMs" | "run" | "aliases" | "requires"
  >
  & {
    /** Other names that call it. */
    aliases: readonly string[];
    /** Capabilities of the machine that it cannot do without. */
    requires: readonly string[];
    /** The JSON Schema of its arguments. */
    inputSchema: Record<string, unknown>;
    /** The JSON Schema of what it returns as data, if it does. */
    outputSchema?: Record<string, unknown>;
    /** The kinds of permission it can ever use. */
    permissionKinds: ToolDefinition["permissions"]["kinds"];
  };

/** One fault that a validator found; ajv's error object. */
export interface SchemaError {
  /** JSON pointer to the value. */
  instancePath: string;
  /** The keyword that failed. */
  keyword: string;
  /** The keyword's own data. */
  params: Record<string, unknown>;
  /** ajv's words. */
  message?: string;
}

/** A compiled schema: fills in defaults, answers whether the data fits, leaves its errors behind. */
export interface Validator {
  (data: unknown): boolean;
  /** What was wrong with the data of the last call. */
  errors?: SchemaError[] | null;
}

/** A tool whose data is loaded and whose code is not. */
export interface RegisteredTool {
  /** Its declaration. */
  metadata: ToolMetadata;
  /** Checks its arguments. */
  validate: Validator;
  /** Loads its code. */
  load(): Promise<ToolDefinition>;
}

/** What the catalogue keeps of a tool: its names, and how to get the rest. */
export interface RegistryEntry {
  /** The name a model calls. */
  name: string;
  /** Other names that call it. */
  aliases: readonly string[];
  /** Loads its declaration and validator. */
  load(): Promise<RegisteredTool>;
}

/** What a subscriber is told. */
export interface RegistryEvent {
  /** What happened. */
  type: "registered" | "unregistered";
  /** The name of the tool. */
  name: string;
}

/** No tool has the name that was asked for. */
export class ToolNotFoundError extends Error {
  /** Its kind. */
  override name = "ToolNotFoundError";
  /** Takes the name that was asked for. */
  constructor(readonly tool: string) {
    super(`Unknown tool ${JSON.stringify(tool)}`);
  }
}

/** A tool of that name or alias is registered already. */
export class ToolExistsError extends Error {
  /** Its kind. */
  override name = "ToolExistsError";
  /** Takes the name that is taken. */
  constructor(readonly tool: string) {
    super(`Cannot register ${JSON.stringify(tool)}: the name is taken`);
  }
}

/** A tool without a name cannot be registered. */
export class EmptyNameError extends Error {
  /** Its kind. */
  override name = "EmptyNameError";
  /** Takes nothing: there is nothing to tell. */
  constructor() {
    super("Cannot register a tool with an empty name");
  }
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
  #entries = new Map<string, RegistryEntry>();
  #byName = new Map<string, RegistryEntry>();
  #listeners = new Set<(event: RegistryEvent) => void>();

  /** Registers each of `entries`. */
  constructor(entries: Iterable<RegistryEntry> = []) {
    for (const entry of entries) this.register(entry);
  }

  /** Adds a tool. Throws {@link EmptyNameError} or {@link ToolExistsError} and then adds nothing. */
  register(entry: RegistryEntry): void {
    const names = [entry.name, ...entry.aliases];
    for (const name of names) {
      if (name.trim() === "") throw new EmptyNameError();
      if (this.#byName.has(name)) throw new ToolExistsError(name);
    }
    this.#entries.set(entry.name, entry);
    for (const name of names) this.#byName.set(name, entry);
    this.#tell({ type: "registered", name: entry.name });
  }

  /** Takes a tool out, by its name. Throws {@link ToolNotFoundError}. */
  unregister(name: string): void {
    const entry = this.#entries.get(name);
    if (entry === undefined) throw new ToolNotFoundError(name);
    this.#entries.delete(name);
    for (const each of [entry.name, ...entry.aliases]) {
      this.#byName.delete(each);
    }
    this.#tell({ type: "unregistered", name });
  }

  /** The tool of that name, alias, or name for the models' APIs. Throws {@link ToolNotFoundError}. */
  get(name: string): RegistryEntry {
    const entry = this.#byName.get(name) ?? this.apiNames().get(name);
    if (entry === undefined) throw new ToolNotFoundError(name);
    return entry;
  }

  /** Each tool by its name as the models' APIs take it. */
  apiNames(): Map<string, RegistryEntry> {
    return apiNames(this.#entries.values());
  }

  /** Whether a tool has that name or alias. */
  has(name: string): boolean {
    return this.#byName.has(name);
  }

  /** Every name and alias. */
  names(): string[] {
    return [...this.#byName.keys()];
  }

  /** Every tool, sorted by name; the hidden ones, which have no description, are left out. */
  async list(): Promise<ToolMetadata[]> {
    const tools = await Promise.all(
      [...this.#entries.values()].map(async (entry) => (await entry.load()).metadata),
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

  #tell(event: RegistryEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
