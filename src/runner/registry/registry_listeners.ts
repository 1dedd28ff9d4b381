/** A change of the registry. */
export interface RegistryEvent {
  /** The kind of change. */
  type: "registered" | "unregistered" | "enabled" | "disabled";
  /** The name of the tool. */
  name: string;
}

/** The options of a registry. */
export interface RegistryOptions {
  /** Takes a sentence about an error in the code of a listener or a tool. Default: nobody. */
  onFault?(fault: string): void;
}

/** The listeners of a registry. An error of one of them does not reach the others. */
export class RegistryListeners {
  readonly #listeners = new Set<(event: RegistryEvent) => void>();

  /** Takes a function that gets a sentence about each error. */
  constructor(readonly onFault: (fault: string) => void) {}

  /** Calls `listener` on every change. Returns a function that ends the subscription. */
  subscribe(listener: (event: RegistryEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Calls every listener. */
  notify(event: RegistryEvent): void {
    for (const listener of this.#listeners) {
      try {
        const ended: unknown = listener(event);
        if (ended instanceof Promise) ended.catch((error) => this.#report(error));
      } catch (error) {
        this.#report(error);
      }
    }
  }

  #report(error: unknown): void {
    this.onFault(`A listener of the registry failed: ${messageOf(error)}`);
  }
}

/** The message of a thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
