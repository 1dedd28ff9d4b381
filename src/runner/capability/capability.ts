import type { Found, ProviderPlace } from "../registry/providers.ts";
import type { Program } from "../program.ts";
import type { Grants } from "../sandbox/policy/grants.ts";

/** Where capabilities are looked for. */
export interface CapabilitySetup {
  /** This program. */
  program: Pick<Program, "directory" | "providers">;
  /** The folder that calls start from, a real path. */
  root: string;
  /** What the flags allow. */
  grants: Grants;
  /** The environment of the caller. */
  environment(): Record<string, string>;
  /** The configuration file, where one was named. */
  config?: string;
  /** The folder of what outlives a call, where one was named. */
  stateDir?: string;
}

/** What capabilities are detected by. */
export interface CapabilityPlace extends CapabilitySetup, ProviderPlace {
  /** The environment of the caller. */
  environment(): Record<string, string>;
}

/** What a tool may require: a program, a feature of the machine, or a configured provider. */
export interface Capability {
  /** What it is, or what it is for, in a few words. */
  what: string;
  /** Whether it is there. No program is started, nothing is sent. Never rejects. */
  find(place: CapabilityPlace): Found | Promise<Found>;
  /** Whether what is there works, which may take seconds; nothing is sent. Never rejects. */
  examine?(place: CapabilityPlace): Found | Promise<Found>;
}
