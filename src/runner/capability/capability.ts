import type { SettingValues } from "../registry/services.ts";
import type { Grants } from "../sandbox/policy/grants.ts";

/** Where capabilities are looked for. */
export interface CapabilitySetup {
  /** The folder of the program's own files. */
  programFolder: string;
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
export interface CapabilityPlace extends CapabilitySetup {
  /** The settings, read once. Rejects with `unavailable` when they cannot be. */
  settings(): Promise<SettingValues>;
}

/** What a look at a capability came to. */
export type CapabilityStatus =
  | {
    /** It is there. */
    ok: true;
    /** Which one it is, or where. */
    detail: string;
  }
  | {
    /** It is not there, or does not work. */
    ok: false;
    /** What is missing. */
    detail: string;
    /** How to get it, for a person; a line that starts with `toolcall` is a command. */
    advice: string;
  };

/** What a tool may require: a program, a feature of the machine, or a configured provider. */
export interface Capability {
  /** What it is, or what it is for, in a few words. */
  what: string;
  /** Whether it is there. No program is started, nothing is sent. Never rejects. */
  find(place: CapabilityPlace): CapabilityStatus | Promise<CapabilityStatus>;
  /** Whether what is there works, which may take seconds; nothing is sent. Never rejects. */
  examine?(place: CapabilityPlace): CapabilityStatus | Promise<CapabilityStatus>;
}
