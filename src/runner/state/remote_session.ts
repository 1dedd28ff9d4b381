/** The sessions of calls that come over NATS: each has its user in it, so users share no state. */

const PREFIX = "nats:";

/** The session of a user's calls over NATS. `user` has no colon. */
export function remoteSession(user: string, session: string): string {
  return `${PREFIX}${user}:${session}`;
}

/** Returns a session with a name, which has the same user as the session of a call. */
export function sessionOfSameUser(session: string, name: string): string {
  const user = userOfSession(session);
  return user === undefined ? name : remoteSession(user, name);
}

/** Returns `undefined` for a session of this machine. */
function userOfSession(session: string): string | undefined {
  return session.startsWith(PREFIX) ? session.split(":")[1] : undefined;
}

/** Whether calls of a session may read and stop a task that a call of another session has started. */
export function mayUseTasksOf(session: string, starter: string): boolean {
  const user = userOfSession(session);
  return user === undefined || user === userOfSession(starter);
}
