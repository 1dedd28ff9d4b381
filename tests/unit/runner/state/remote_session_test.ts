import { expect } from "@std/expect";
import {
  mayUseTasksOf,
  remoteSession,
  sessionOfSameUser,
} from "../../../../src/runner/state/remote_session.ts";

const [alice, bob, local] = [
  remoteSession("alice", "in /srv: a"),
  remoteSession("bob", "in /srv: a"),
  "in /srv: a",
];

Deno.test("mayUseTasksOf() > a call over NATS uses only the tasks of its user", () => {
  const cases: [session: string, starter: string, expected: boolean][] = [
    [alice, alice, true],
    [alice, remoteSession("alice", "other"), true],
    [alice, bob, false],
    [alice, local, false],
    [local, alice, true],
    [local, "other", true],
    [remoteSession("a", ""), remoteSession("alice", ""), false],
  ];
  for (const [session, starter, expected] of cases) {
    expect({ session, starter, may: mayUseTasksOf(session, starter) })
      .toEqual({ session, starter, may: expected });
  }
});

Deno.test("sessionOfSameUser() > a call that a tool makes keeps the user", () => {
  expect(sessionOfSameUser(alice, "agent 1")).toBe(remoteSession("alice", "agent 1"));
  // The name of a session cannot change the user.
  expect(mayUseTasksOf(sessionOfSameUser(alice, bob), bob)).toBe(false);
  expect(sessionOfSameUser(local, "agent 1")).toBe("agent 1");
});
