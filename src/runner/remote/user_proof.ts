/**
 * Proves who has sent a message to a worker. The server checks who reads a reply subject, and not who
 * names it in a message. So the sender signs its user, which is in that subject.
 */

import { headers, type MsgHdrs, nkeys } from "@nats-io/nats-core";
import { HEADERS } from "./subjects.ts";

/** The user of a connection without an NKey or credentials. All of them are one user. */
export const NO_USER = "anyone";

/** The most proofs that a worker remembers. To check a signature takes some milliseconds. */
const MAX_CHECKED = 10_000;

/** A public NKey of a user. */
const PUBLIC_KEY = /^U[A-Z2-7]{55}$/;

/** The pair of keys of a user. */
export type UserKey = ReturnType<typeof nkeys.fromSeed>;

/** The name of the user with this key in subjects: the public key. */
export function nameOf(key: UserKey | undefined): string {
  return key?.getPublicKey() ?? NO_USER;
}

/** Whether a user in a subject is the public key of a user. Such a user can prove its messages. */
export function isUserKey(user: string): boolean {
  return PUBLIC_KEY.test(user);
}

/**
 * Returns the proof that the user with this key sends a message. `sender` is the user, and the batch
 * after a dot if the reply subject has it.
 */
export function signSender(key: UserKey, sender: string): string {
  return key.sign(signedText(sender)).toBase64({ alphabet: "base64url", omitPadding: true });
}

/** The headers of a request whose answer comes to an inbox of this user. Undefined without a key. */
export function proofHeaders(key: UserKey | undefined): MsgHdrs | undefined {
  if (key === undefined) return undefined;
  const all = headers();
  all.set(HEADERS.proof, signSender(key, nameOf(key)));
  return all;
}

/** The user of a key: its first part. */
export function userIn(key: string): string {
  return key.slice(0, key.indexOf("."));
}

/** Checks proofs, each of them once. */
export class UserProofs {
  readonly #checked = new Set<string>();

  /** Whether a proof is the signature of a user for a sender, as {@link signSender} makes it. */
  isSigned(user: string, sender: string, proof: string | undefined): boolean {
    if (!proof) return false;
    const checked = `${sender} ${proof}`;
    if (this.#checked.has(checked)) return true;
    if (!isSignature(user, sender, proof)) return false;
    if (this.#checked.size >= MAX_CHECKED) this.#checked.clear();
    this.#checked.add(checked);
    return true;
  }
}

function isSignature(user: string, sender: string, proof: string): boolean {
  try {
    const signature = Uint8Array.fromBase64(proof, { alphabet: "base64url" });
    return nkeys.fromPublic(user).verify(signedText(sender), signature);
  } catch {
    return false;
  }
}

/** The signed string. No server asks for a signature of such a string when a client connects. */
function signedText(sender: string): Uint8Array {
  return new TextEncoder().encode(`toolcall calls of ${sender}`);
}
