/**
 * Answers messages with the rights of a worker. The server does not check which reply subject a message
 * names. So this module sends answers only to inboxes, and to the inbox of a user with a key only if
 * this user has signed the message. A lint rule keeps every other module from answering.
 */

import type { Msg, MsgHdrs, NatsConnection } from "@nats-io/nats-core";
import { quote } from "../../base/text/quote.ts";
import { HEADERS, isInbox, keyOfReply } from "./subjects.ts";
import { isUserKey, NO_USER, UserProofs } from "./user_proof.ts";

/** The shortest time between two warnings, in milliseconds. An attacker could fill a log otherwise. */
const WARN_MS = 60_000;

/** Who waits for the answer to a message, and how to send it. */
export interface MessageReply {
  /** The user that has signed the message, or the one user without a key. */
  user: string;
  /** The user, the batch and the number of the call, if the reply subject has them. */
  key?: string;
  /** Sends an answer. Sends nothing if the message has no reply subject. */
  send(data: Uint8Array | string, headers?: MsgHdrs): void;
}

/** Decides which messages a worker may answer. */
export class Replies {
  readonly #proofs = new UserProofs();
  #refused = 0;
  #lastWarning = -Infinity;

  /** Takes the connection, and what prints a warning. */
  constructor(readonly connection: NatsConnection, readonly warn: (text: string) => void) {}

  /**
   * Returns how to answer a message. Returns `undefined` if its reply subject is not an inbox, or is the
   * inbox of a user who has not signed it. Nothing may then be run for the message or sent.
   */
  open({ reply: subject, headers }: Msg): MessageReply | undefined {
    // Nobody waits for an answer, so nothing is sent with the worker's rights.
    if (!subject) return { user: NO_USER, send() {} };
    const user = this.#userOf(subject, headers?.get(HEADERS.proof));
    if (user === undefined) return this.#refuse(subject);
    const key = keyOfReply(subject);
    return {
      user,
      ...(key !== undefined && { key }),
      send: (data, headers) => {
        // A worker whose time to end is over closes the connection while calls still run.
        if (this.connection.isClosed()) return;
        this.connection.publish(subject, data, headers === undefined ? {} : { headers });
      },
    };
  }

  #userOf(subject: string, proof: string | undefined): string | undefined {
    if (!isInbox(subject)) return undefined;
    const [, user = "", ...rest] = subject.split(".");
    if (!isUserKey(user)) return NO_USER;
    const sender = keyOfReply(subject) === undefined ? user : `${user}.${rest[1]}`;
    return this.#proofs.isSigned(user, sender, proof) ? user : undefined;
  }

  #refuse(subject: string): undefined {
    this.#refused++;
    const now = performance.now();
    if (now - this.#lastWarning < WARN_MS) return;
    const many = this.#refused === 1 ? "1 message" : `${this.#refused} messages`;
    this.warn(
      `ignored ${many} that asked for an answer to a subject which is not an inbox of the sender, ` +
        `the last one to ${quote(subject, 200)}`,
    );
    [this.#refused, this.#lastWarning] = [0, now];
  }
}
