/**
 * The key that encrypts tokens, in the system's keyring: by `secret-tool` of libsecret on Linux, by
 * `security` on macOS. This is the one place that decides whether a keyring is used.
 */

import { readVariable } from "../../../base/environment.ts";
import { lookupTable } from "../../../base/lookup_table.ts";
import { CallError } from "../../../base/errors.ts";
import { outsideEnvironment, programEnvironment } from "../../sandbox/executors/environment.ts";
import type { Grants } from "../../sandbox/policy/grants.ts";
import { findOutsideProgram } from "../../sandbox/policy/programs.ts";

/** The time that the keyring has to answer, in milliseconds. It may ask a person to unlock it. */
const ANSWER_MS = 30_000;

/** The length of the key, in bytes. */
const KEY_BYTES = 32;

/** The commands of one keyring. The key goes over stdin, because arguments are public. */
interface KeyringCommands {
  program: string;
  read: string[];
  write: string[];
  input(key: string): string;
}

/** The variables by which a program finds the user's session. */
const SESSION = ["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "DISPLAY", "WAYLAND_DISPLAY"];

const ATTRIBUTES = ["service", "toolcall", "account", "oauth"];

const KEYRINGS = lookupTable<KeyringCommands>({
  linux: {
    program: "secret-tool",
    read: ["lookup", ...ATTRIBUTES],
    write: ["store", "--label=toolcall: key of OAuth tokens", ...ATTRIBUTES],
    input: (key) => key,
  },
  darwin: {
    program: "/usr/bin/security",
    read: ["find-generic-password", "-s", "toolcall", "-a", "oauth", "-w"],
    write: ["-i"],
    input: (key) => `add-generic-password -U -s toolcall -a oauth -w ${key}\n`,
  },
});

/**
 * Returns the key of the system's keyring. With `make`, a missing key is made. Resolves to `undefined` if the machine has no keyring that can be used.
 */
export async function keyringKey(
  grants: Grants,
  { make }: { make: boolean },
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const keyring = KEYRINGS[Deno.build.os];
  if (keyring === undefined || !hasSession()) return undefined;
  const found = findOutsideProgram(keyring.program, grants.allow.write);
  if (found === undefined || !("path" in found)) return undefined;
  const read = async () => parseKey(await run(found.found, keyring.read, { grants }));
  const key = await read();
  if (key !== undefined || !make) return key;
  const made = crypto.getRandomValues(new Uint8Array(KEY_BYTES)).toHex();
  const input = keyring.input(made);
  if (await run(found.found, keyring.write, { grants, input }) === undefined) return undefined;
  // A keyring may accept a value and not keep it.
  return await read();
}

/** Creates the error of tokens whose key is missing. */
export function keyMissing(server: string, advice: string): CallError {
  return new CallError(
    "unavailable",
    "Cannot read the tokens: the system's keyring does not have their key, or is locked. " +
      `Unlock it, or run ${advice}`,
    { server },
  );
}

/** On Linux a keyring belongs to a session. Without one, `secret-tool` would start one. */
function hasSession(): boolean {
  return Deno.build.os !== "linux" || SESSION.slice(0, 2).some((name) => readVariable(name));
}

function parseKey(text: string | undefined): Uint8Array<ArrayBuffer> | undefined {
  const hex = text?.trim() ?? "";
  return /^[0-9a-f]{64}$/.test(hex) ? Uint8Array.fromHex(hex) : undefined;
}

/** The output of the keyring's program, or `undefined` if it fails. */
async function run(
  path: string,
  args: string[],
  { grants, input = "" }: { grants: Grants; input?: string },
): Promise<string | undefined> {
  const session = SESSION.flatMap((name) => {
    const value = readVariable(name);
    return value === undefined ? [] : [[name, value]];
  });
  const base = programEnvironment({ all: false, allow: {}, deny: {} });
  const env = outsideEnvironment({ ...base, ...Object.fromEntries(session) }, grants.allow.write);
  try {
    const child = new Deno.Command(path, {
      ...{ args, env, clearEnv: true, signal: AbortSignal.timeout(ANSWER_MS) },
      ...{ stdin: "piped", stdout: "piped", stderr: "null" },
    }).spawn();
    const writer = child.stdin.getWriter();
    const written = writer.write(new TextEncoder().encode(input)).then(() => writer.close());
    const [{ success, stdout }] = await Promise.all([child.output(), written.catch(() => {})]);
    return success ? new TextDecoder().decode(stdout) : undefined;
  } catch {
    return undefined;
  }
}
