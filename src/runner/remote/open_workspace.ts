/** Finds the worker with a workspace, or makes the workspace. */

import { type NatsConnection, NoRespondersError, RequestError } from "@nats-io/nats-core";
import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import { noWorkspaces, type RemoteOptions } from "./core_failures.ts";
import { decodeResult } from "./envelope.ts";
import { END_WORKSPACE, openSubject, workspaceSubject } from "./subjects.ts";
import { proofHeaders } from "./user_proof.ts";

/** The time for an answer, in milliseconds. */
const ANSWER_MS = 10_000;

/** A workspace that calls can run in. */
export interface OpenWorkspace {
  /** The user and the name, with a dot between. */
  key: string;
  /** The name. */
  name: string;
  /** Ends the workspace, if the calls of this process began it and nobody else is to use it. */
  end(): Promise<void>;
}

/** Opens the workspace of the options. Rejects with `unavailable`. */
export async function openWorkspace(
  connection: NatsConnection,
  { pool, batch, workspace, userKey }: RemoteOptions & {
    workspace: { name: string; isKept: boolean };
  },
): Promise<OpenWorkspace> {
  const { name, isKept } = workspace;
  const key = `${batch.slice(0, batch.indexOf("."))}.${name}`;
  const headers = proofHeaders(userKey);
  const place = workspaceSubject(pool, key);
  const isFound = await ask(place) !== undefined;
  if (!isFound) {
    const answer = await ask(openSubject(pool, key));
    if (answer === undefined) throw noWorkspaces(pool);
    if (answer.length > 0) {
      const [text] = decodeResult(answer).content;
      throw new CallError("unavailable", text?.type === "text" ? text.text : "No workspace");
    }
  }
  return {
    ...{ key, name },
    async end() {
      if (isFound || isKept) return;
      connection.publish(place, END_WORKSPACE);
      await connection.flush();
    },
  };

  /** Returns the answer, or `undefined` if nobody is there to answer. */
  async function ask(subject: string): Promise<Uint8Array | undefined> {
    const options = { timeout: ANSWER_MS, ...(headers && { headers }) };
    try {
      return (await connection.request(subject, "", options)).data;
    } catch (error) {
      if (error instanceof RequestError && error.isNoResponders()) return undefined;
      if (error instanceof NoRespondersError) return undefined;
      const why = (error as Error).message;
      throw new CallError("unavailable", `Cannot open the workspace ${quote(name)}: ${why}`);
    }
  }
}
