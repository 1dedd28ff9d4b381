/**
 * Proves whose calls come by request and reply. The server checks who reads the subject of a reply, and
 * not who names it in a call. So the caller signs its user and its batch, which are in that subject.
 */

import { nkeys } from "@nats-io/nats-core";
import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import { HEADERS } from "./subjects.ts";

/** The user of a connection without an NKey or credentials. All of them are one user. */
const NO_USER = "anyone";

/** The most batches that a worker remembers. To check a signature takes some milliseconds. */
const MAX_CHECKED = 10_000;

/** The pair of keys of a user. */
export type UserKey = ReturnType<typeof nkeys.fromSeed>;

/** The name of the user with this key in subjects: the public key. */
export function nameOf(key: UserKey | undefined): string {
  return key?.getPublicKey() ?? NO_USER;
}

/** Returns the proof that the user with this key sends the calls of a batch. */
export function signBatch(key: UserKey, batch: string): string {
  return key.sign(signedText(batch)).toBase64({ alphabet: "base64url", omitPadding: true });
}

/** The user of a key: its first part. */
export function userIn(key: string): string {
  return key.slice(0, key.indexOf("."));
}

/** Finds out which user has sent a call. */
export class UserProofs {
  readonly #checked = new Set<string>();

  /**
   * Returns the user of the session of a call. A caller of an older version sends no proof, and gets
   * a user that nobody can prove to be. Throws `permission_denied` for a proof of someone else.
   */
  userOf({ key, proof }: { key?: string; proof?: string }): string {
    if (key === undefined) return NO_USER;
    const user = userIn(key);
    if (user === NO_USER) return NO_USER;
    if (proof === undefined) return `unproven-${user}`;
    const batch = key.slice(0, key.lastIndexOf("."));
    const checked = `${batch} ${proof}`;
    if (this.#checked.has(checked)) return user;
    if (!isSigned(user, batch, proof)) {
      const message = `Cannot run the call as the user ${quote(user)}: the header ` +
        `${HEADERS.proof} was not signed by this user; use a reply subject of your own user`;
      throw new CallError("permission_denied", message);
    }
    if (this.#checked.size >= MAX_CHECKED) this.#checked.clear();
    this.#checked.add(checked);
    return user;
  }
}

function isSigned(user: string, batch: string, proof: string): boolean {
  try {
    const signature = Uint8Array.fromBase64(proof, { alphabet: "base64url" });
    return nkeys.fromPublic(user).verify(signedText(batch), signature);
  } catch {
    return false;
  }
}

/** The signed string. No server asks for a signature of such a string when a client connects. */
function signedText(batch: string): Uint8Array {
  return new TextEncoder().encode(`toolcall calls of ${batch}`);
}
