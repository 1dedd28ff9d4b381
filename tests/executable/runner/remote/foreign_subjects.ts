/** The subjects that no answer of a worker may reach, and the state that such an answer could change. */
import type { JetStreamManager } from "@nats-io/jetstream";
import * as subjects from "../../../../src/runner/remote/subjects.ts";

/** The key-value bucket and the object store of other programs in the account. */
export const OTHERS = { bucket: "KV_others", store: "OBJ_others" };

/** The streams of an account with a fleet and another program. */
const STREAMS = [
  ...[subjects.CALLS_STREAM, subjects.RESULTS_STREAM, subjects.DEAD_STREAM],
  ...[`OBJ_${subjects.BLOBS}`, OTHERS.bucket, OTHERS.store],
];

/** The requests of JetStream's interface that name a stream. */
const STREAM_REQUESTS = [
  ...["STREAM.CREATE", "STREAM.UPDATE", "STREAM.DELETE", "STREAM.PURGE", "STREAM.INFO"],
  ...["STREAM.MSG.DELETE", "STREAM.MSG.GET", "STREAM.SNAPSHOT", "STREAM.RESTORE"],
  ...["STREAM.LEADER.STEPDOWN", "STREAM.PEER.REMOVE", "CONSUMER.CREATE", "CONSUMER.LIST"],
  ...["CONSUMER.NAMES", "DIRECT.GET"],
];

/** The requests that name a stream and a consumer. */
const CONSUMER_REQUESTS = [
  ...["CONSUMER.CREATE", "CONSUMER.DURABLE.CREATE", "CONSUMER.DELETE", "CONSUMER.INFO"],
  ...["CONSUMER.MSG.NEXT", "CONSUMER.LEADER.STEPDOWN", "CONSUMER.PAUSE", "CONSUMER.RESET"],
  "CONSUMER.UNPIN",
];

/** The requests that name neither, and those of the server itself. */
const SERVER_REQUESTS = [
  ...["INFO", "STREAM.NAMES", "STREAM.LIST", "STREAM.TEMPLATE.CREATE.t", "STREAM.TEMPLATE.DELETE.t"]
    .map((request) => `$JS.API.${request}`),
  ...["ACCOUNT.PURGE.$G", "META.LEADER.STEPDOWN", "SERVER.REMOVE"].map((each) => `$JS.API.${each}`),
  ...["SERVER.PING", "SERVER.ABC.RELOAD", "SERVER.ABC.KICK", "ACCOUNT.$G.CLAIMS.UPDATE"]
    .map((request) => `$SYS.REQ.${request}`),
  ...["PING", "INFO.toolcall", "STATS.toolcall"].map((verb) => `$SRV.${verb}`),
];

/** The functions of the program that return a subject. */
type SubjectFunction = Exclude<
  Extract<keyof typeof subjects, `${string}Subject`>,
  "readJobSubject"
>;

/** The subjects of a user's batch. The compiler refuses this table if a kind of subject is missing. */
function programSubjects(user: string, batch: string): string[] {
  const own = `${user}.${batch}`;
  const job = { pool: "default", batch: own, id: "1", tool: "Bash" };
  const all: Record<SubjectFunction, string[]> = {
    callSubject: ["Write", "Bash"].map((tool) => subjects.callSubject("default", tool)),
    workerSubject: [subjects.workerSubject("other", "Bash")],
    workspaceSubject: [subjects.workspaceSubject("default", `${user}.w`)],
    openSubject: [subjects.openSubject("default", `${user}.w`)],
    workspaceCallSubject: [subjects.workspaceCallSubject("default", `${user}.w`, "Bash")],
    jobSubject: [subjects.jobSubject(job)],
    taskSubject: [subjects.taskSubject("default", "Bash")],
    taskJobSubject: [subjects.taskJobSubject(job)],
    taskListSubject: [subjects.taskListSubject(user)],
    resultSubject: ["0", "1", "~pack"].map((id) => subjects.resultSubject(own, id)),
    cancelSubject: ["0", "1"].map((id) => subjects.cancelSubject(own, id)),
    progressSubject: [subjects.progressSubject(own, "1")],
    deadSubject: [subjects.deadSubject("default", own, "1")],
  };
  return [...Object.values(all).flat(), "toolcall.ping.default"];
}

/** Inboxes of a user, and subjects that only look like an inbox. */
export function foreignInboxes(user: string, batch: string): string[] {
  const inbox = subjects.replyInbox(`${user}.${batch}`);
  return [
    ...["1", "2", "pack-1"].map((token) => `${inbox}.${token}`),
    ...[`_INBOX.${user}`, `_INBOX.${user}.x.1`, `_inbox.${user}.1`, "_INBOX.x*.1", "elsewhere"],
  ];
}

/**
 * The subjects whose messages are a command, a record or a claim: those of a user's batch, of the
 * streams and of the server. `acknowledgement` is that of a message that somebody else handles.
 */
export function foreignSubjects(
  user: string,
  { batch, acknowledgement }: { batch: string; acknowledgement: string },
): string[] {
  const consumers = [subjects.consumerName("default"), subjects.taskConsumerName("default")];
  return [
    ...programSubjects(user, batch),
    ...STREAMS.flatMap((name) => STREAM_REQUESTS.map((verb) => `$JS.API.${verb}.${name}`)),
    ...[...consumers, "held", "planted"].flatMap((name) =>
      CONSUMER_REQUESTS.map((verb) => `$JS.API.${verb}.${subjects.CALLS_STREAM}.${name}`)
    ),
    ...SERVER_REQUESTS,
    ...[acknowledgement, `$JS.FC.OBJ_${subjects.BLOBS}.x.y`, "$KV.others.key", "$KV.others.new"],
    ...[subjects.BLOBS, "others"].flatMap((store) => [
      `$O.${store}.M.${btoa(subjects.replyBlob(`${user}.${batch}.1`))}`,
      `$O.${store}.C.planted`,
    ]),
  ];
}

/**
 * Returns the streams with their settings, consumers and messages. Leaves out the messages whose
 * subjects have one of the tokens `without`, and consumers that live only as long as their reader.
 */
export async function accountState(
  manager: JetStreamManager,
  without: readonly string[],
): Promise<unknown> {
  const names = await Array.fromAsync(manager.streams.names());
  return await Promise.all(
    names.sort().map(async (name) => {
      const { config, state } = await manager.streams.info(name, { subjects_filter: ">" });
      const kept = Object.entries(state.subjects ?? {}).sort().filter(([subject]) =>
        !subject.split(".").some((token) => without.includes(token))
      );
      const messages = await Promise.all(kept.map(async ([subject, count]) => {
        const last = await manager.streams.getMessage(name, { last_by_subj: subject });
        return { subject, count, seq: last?.seq, text: last?.string() };
      }));
      const consumers = (await Array.fromAsync(manager.consumers.list(name)))
        .filter(({ config }) => config.durable_name !== undefined)
        .map(({ name, config, num_ack_pending }) => ({
          ...{ name, filter: config.filter_subject },
          ...(name === "held" && { num_ack_pending }),
        }));
      return { name, config, messages, consumers };
    }),
  );
}
