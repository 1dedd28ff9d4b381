import type { CapabilityStatus, ProviderPlace } from "../registry/providers.ts";
import type { Program } from "../program.ts";
import type { Grants } from "../sandbox/policy/grants.ts";

/** The places that are searched for capabilities. */
export interface CapabilitySetup {
  /** This program. */
  program: Pick<Program, "directory" | "providers">;
  /** The real path of the root directory of calls. */
  root: string;
  /** The permissions. */
  grants: Grants;
  /** The environment of the caller. */
  environment(): Record<string, string>;
  /** The configuration file, where one was named. */
  config?: string;
  /** The state directory of `--state-dir`. */
  stateDir?: string;
}

/** The setup together with the settings. */
export type CapabilityPlace = CapabilitySetup & ProviderPlace;

/** A requirement of tools: a program, a feature of the machine, or a configured provider. */
export interface Capability {
  /** Its name or purpose in a few words. */
  purpose: string;
  /** Whether it exists. Starts no program and sends nothing. Never rejects. */
  find(place: CapabilityPlace): CapabilityStatus | Promise<CapabilityStatus>;
  /** Whether it works. This may take seconds. Sends nothing. Never rejects. */
  examine?(place: CapabilityPlace): CapabilityStatus | Promise<CapabilityStatus>;
}
