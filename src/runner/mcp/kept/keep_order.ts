import { version } from "../../../base/version.ts";
import { ownVariable } from "../../own_environment.ts";
import type { Program } from "../../program.ts";
import type { Grants } from "../../sandbox/policy/grants.ts";
import type { Scope } from "../../sandbox/policy/scope.ts";
import { stateDirectory } from "../../state/state_directory.ts";
import type { ServerConfig } from "../client/server_config.ts";
import type { ServerProgram } from "../client/server_program.ts";

/** How to keep a program between calls. */
export interface KeepOptions {
  /** The server, and the calls that share it. */
  order: KeepOrder;
  /** This program, which keeps the other one. */
  program: Pick<Program, "directory" | "isBundled">;
}

/** The calls that share a kept server. */
export interface KeepSetup {
  /** The session of the calls. */
  session: string;
  /** This program, which keeps the server. */
  program: KeepOptions["program"];
}

/** How to keep the program of a server; `undefined` if it ends with this process. */
export function keepOptions(
  { name: server, file = "", source, secrets, keepMs }: ServerConfig,
  program: ServerProgram,
  { grants, root, stateDir, keeps }: {
    grants: Grants;
    root: string;
    stateDir?: string;
    keeps?: KeepSetup;
  },
): KeepOptions | undefined {
  if (keepMs === undefined || keeps === undefined) return undefined;
  // Inside the layer of `--wall` everything ends with the call.
  if (Deno.build.os === "windows" || ownVariable("wall") !== undefined) return undefined;
  return {
    order: {
      ...{ server, file, source, program, secrets, keepMs },
      flags: flagsText(grants, { root, session: keeps.session }),
      stateDir: stateDirectory(stateDir),
    },
    program: keeps.program,
  };
}

/** A server, its program and the flags of its calls. Calls share it only if all of it is equal. */
export interface KeepOrder {
  /** `shell` for the shell of a session, which is no MCP server. */
  kind?: "shell";
  /** The name of the server, or of the session of a shell. */
  server: string;
  /** The configuration file. */
  file: string;
  /** The entry of the server, as text. */
  source: string;
  /** The permissions, the root directory and the session of the calls, as one text. */
  flags: string;
  /** The program. */
  program: ServerProgram;
  /** The texts that must never be shown. */
  secrets: readonly string[];
  /** The time that it runs without a call, in milliseconds. */
  keepMs: number;
  /** The state directory. */
  stateDir: string;
}

/** The flags as a string that does not depend on the order in which they were given. */
export function flagsText(
  { all, allow, deny, hosts = [] }: Grants,
  { root, session }: { root: string; session: string },
): string {
  const scopes = (given: Readonly<Record<string, Scope>>) =>
    Object.entries(given).sort(([a], [b]) => a < b ? -1 : 1)
      .map(([kind, scope]) => [kind, scope === true || [...new Set(scope)].sort()]);
  return JSON.stringify([all, scopes(allow), scopes(deny), [...hosts].sort(), root, session]);
}

/**
 * The name of the files of a kept server. It depends on no secret, and calls with other flags have
 * another name.
 */
export async function slotOf({ kind, file, server, flags }: KeepOrder): Promise<string> {
  const named = [...(kind === undefined ? [] : [kind]), file, server, flags];
  const bytes = new TextEncoder().encode(JSON.stringify(named));
  const hash = await crypto.subtle.digest("SHA-256", bytes);
  return new Uint8Array(hash).toHex().slice(0, 24);
}

/**
 * A string that differs for orders that do. It has secrets, so it is only compared as a proof. The
 * terminal is left out: calls from a terminal and from a script share a server. A shell keeps the
 * environment that it was started with, so the program that starts it is left out too.
 */
export function orderText({ kind, source, flags, keepMs, program }: KeepOrder): string {
  if (kind === "shell") return JSON.stringify([version, kind, source, flags]);
  const env = Object.entries(program.env).filter(([name]) => name !== "TERM").sort();
  const { path, args, cwd } = program;
  return JSON.stringify([version, source, flags, keepMs, path, args, String(cwd), env]);
}

/** Proves that the sender knows the secret of a record, and what it says (HMAC, RFC 2104). */
export async function proofOf(secret: string, text: string): Promise<string> {
  const encode = (value: string) => new TextEncoder().encode(value);
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encode(secret), algorithm, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, encode(text))).toHex();
}
