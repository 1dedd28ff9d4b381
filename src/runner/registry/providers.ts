import type { SettingValues } from "./services.ts";

/** Whether a capability exists. */
export type CapabilityStatus =
  | {
    /** It exists. */
    ok: true;
    /** Its version or place. */
    detail: string;
  }
  | {
    /** It is missing or does not work. */
    ok: false;
    /** The missing program, server or setting. */
    detail: string;
    /** How to get it. A line that starts with `toolcall` is a command. */
    advice: string;
  };

/** The places that are searched for providers. */
export interface ProviderPlace {
  /** The settings, read once. Rejects with `unavailable` when they cannot be read. */
  settings(): Promise<SettingValues>;
  /** The environment of the caller. */
  environment(): Record<string, string>;
}

/** Finds the providers that tools use. The toolkit knows how each of them is set up. */
export interface Providers {
  /** Whether a model is configured, and its key is there. */
  findModel(place: ProviderPlace): Promise<CapabilityStatus>;
  /** Whether a provider of searches is configured, and its key is there. */
  findSearchProvider(place: ProviderPlace): Promise<CapabilityStatus>;
  /** Whether the key for Notion's API is there. */
  findNotion(place: ProviderPlace): Promise<CapabilityStatus>;
}
