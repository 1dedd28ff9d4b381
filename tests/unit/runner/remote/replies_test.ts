/** Which messages a worker answers, by their reply subject and the proof of the sender. */
import { headers, type Msg, type NatsConnection, nkeys } from "@nats-io/nats-core";
import { expect } from "@std/expect";
import { Replies } from "../../../../src/runner/remote/replies.ts";
import { copiedHeaders } from "../../../../src/runner/remote/reply_headers.ts";
import { nameOf, signSender } from "../../../../src/runner/remote/user_proof.ts";

const [own, other] = [nkeys.createUser(), nkeys.createUser()];
const [user, victim] = [nameOf(own), nameOf(other)];

/** A message with this reply subject and proof. */
function messageWith(reply: string, proof?: string): Msg {
  const all = headers();
  if (proof !== undefined) all.set("Toolcall-Proof", proof);
  return { reply, headers: all } as unknown as Msg;
}

/** Returns a worker with the subjects that it sends to, and its warnings. */
function desk() {
  const [sent, warnings]: string[][] = [[], []];
  const connection = { isClosed: () => false, publish: (subject: string) => sent!.push(subject) };
  const replies = new Replies(
    connection as unknown as NatsConnection,
    (text) => void warnings!.push(text),
  );
  return { replies, sent: sent!, warnings: warnings! };
}

Deno.test("replies > a worker answers only an inbox, and a user's only with a proof", () => {
  const [byUser, byBatch] = [signSender(own, user), signSender(own, `${user}.b`)];
  const rows: [reply: string, proof: string | undefined, user: string | undefined][] = [
    ["_INBOX.abc.1", undefined, "anyone"],
    ["_INBOX.anyone.toolcall.b.1", undefined, "anyone"],
    [`_INBOX.${user}.abc.1`, byUser, user],
    [`_INBOX.${user}`, byUser, user],
    [`_INBOX.${user}.toolcall.b.1`, byBatch, user],
    [`_INBOX.${user}.toolcall.b.pack-1`, byBatch, user],
    [`_INBOX.${user}.abc.1`, undefined, undefined],
    [`_INBOX.${user}.abc.1`, byBatch, undefined],
    [`_INBOX.${user}.toolcall.b.1`, byUser, undefined],
    [`_INBOX.${user}.toolcall.c.1`, byBatch, undefined],
    [`_INBOX.${user}.toolcall.b.1.2`, byBatch, undefined],
    [`_INBOX.${victim}.abc.1`, byUser, undefined],
    [`_INBOX.${victim}.abc.1`, signSender(own, victim), undefined],
    [`_INBOX.${victim}.abc.1`, "%", undefined],
    [`_INBOX.${victim}.abc.1`, "A".repeat(86), undefined],
    ["_INBOX.", undefined, undefined],
    ["_INBOX", undefined, undefined],
    ["_INBOX.a..b", undefined, undefined],
    ["_INBOX.>", undefined, undefined],
    ["_INBOX.*.1", undefined, undefined],
    ["_INBOX.a.1\r\nPUB x 0", undefined, undefined],
    ["_INBOX.a.1\n", undefined, undefined],
    ["_inbox.a.1", undefined, undefined],
    ["$JS.API.STREAM.PURGE.TOOLCALL_RESULTS_0", byUser, undefined],
    [`toolcall.cancel.${user}.b.1`, byUser, undefined],
  ];
  for (const [reply, proof, expected] of rows) {
    const { replies, sent } = desk();
    const found = replies.open(messageWith(reply, proof));
    found?.send("");
    expect({ reply, proof, user: found?.user, sent })
      .toEqual({ reply, proof, user: expected, sent: expected === undefined ? [] : [reply] });
  }
});

Deno.test("replies > a message without a reply subject gets no answer", () => {
  const { replies, sent, warnings } = desk();
  replies.open(messageWith(""))?.send("");
  expect({ sent, warnings }).toEqual({ sent: [], warnings: [] });
});

Deno.test("replies > many refused messages make one warning", () => {
  const { replies, warnings } = desk();
  for (let at = 0; at < 1_000; at++) replies.open(messageWith(`elsewhere.\u001b[2J${at}`));
  expect(warnings.length).toBe(1);
  expect(warnings[0]).toContain("elsewhere");
  expect(warnings[0]).not.toContain("\u001b");
});

Deno.test("copied headers > a header that the server obeys is not copied", () => {
  const given = headers();
  for (const name of ["Nats-Rollup", "Nats-Msg-Id", "X", "Toolcall-Session"]) {
    given.set(name, "all");
  }
  expect(copiedHeaders(given).keys()).toEqual(["Toolcall-Session"]);
  expect(copiedHeaders(undefined).keys()).toEqual([]);
});
