/** Records in the results stream that no worker wrote: a call with one fails, and nothing waits. */
// tier: machine
import { headers } from "@nats-io/nats-core";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { expect } from "@std/expect";
import { temporaryDirectory, toolcall } from "../../../support/executable.ts";
import {
  existsFile,
  initStreams,
  natsTest,
  RunningWorker,
  until,
} from "../../../support/nats_server.ts";
import { bashCall, lineOf, resultsIn } from "../submit/submitted.ts";
import { codeOf } from "./durable_batches.ts";

/** A record: its headers without the prefix `Toolcall-`, its data, and the code of its call. */
interface Planted {
  headers: Record<string, string>;
  data: string;
  code: string;
}

const RESULT = '{"content":[],"isError":false}';

/** The records by the id of their calls. */
const PLANTED: Readonly<Record<string, Planted>> = {
  ack: { headers: {}, data: '{"stream":"TOOLCALL_CALLS_0","seq":1}', code: "unavailable" },
  unknown: { headers: { State: "over" }, data: RESULT, code: "unavailable" },
  broken: { headers: { State: "done" }, data: "{", code: "unavailable" },
  other: {
    headers: { State: "done", Nonce: "n", Blob: "anyone.secret.1.n.result" },
    data: "",
    code: "unavailable",
  },
  missing: {
    headers: { State: "done", Nonce: "n", Blob: "anyone.BATCH.missing.n.result" },
    data: "",
    code: "unavailable",
  },
  claim: {
    headers: { State: "running", Nonce: "n", Worker: "gone" },
    data: "",
    code: "interrupted",
  },
};

/** Writes the record of each call of a batch. */
async function plant(connection: NatsConnection, batch: string): Promise<void> {
  for (const [id, planted] of Object.entries(PLANTED)) {
    const own = headers();
    for (const [name, value] of Object.entries(planted.headers)) {
      own.set(`Toolcall-${name}`, value.replace("BATCH", batch));
    }
    const subject = `toolcall.result.0.anyone.${batch}.${id}`;
    await connection.request(subject, planted.data, { headers: own, timeout: 120_000 });
  }
}

/** The code of each call of a batch that has a result. */
const codes = (stdout: string) =>
  Object.fromEntries(resultsIn(stdout).map((result) => [result.id, codeOf(result)]));

const EXPECTED = Object.fromEntries(Object.entries(PLANTED).map(([id, { code }]) => [id, code]));

natsTest("submit --durable > a call with an earlier unreadable record fails", async ({ url }) => {
  await initStreams(url);
  await using _ = await RunningWorker.start(url, ["-A", "--durable"]);
  const connection = await connect({ servers: url });
  try {
    await plant(connection, "before");
  } finally {
    await connection.close();
  }
  const lines = Object.keys(PLANTED).map((id) => lineOf(bashCall("echo", { id }))).join("");
  const batch = [`--nats=${url}`, "--batch=before"];
  const run = await toolcall(["submit", ...batch, "--durable"], { stdin: lines });
  expect(codes(run.stdout)).toEqual(EXPECTED);
  const attached = await toolcall(["submit", ...batch, "--attach"]);
  expect(codes(attached.stdout)).toEqual(EXPECTED);
  expect(attached.code).toBe(1);
});

natsTest(
  "submit --durable > a waiting call fails when its record is unreadable",
  async ({ url }) => {
    await initStreams(url);
    using directory = temporaryDirectory();
    const mark = `${directory.path}/mark`;
    const count = Object.keys(PLANTED).length;
    await using worker = await RunningWorker.start(url, ["-A", "--durable", `--jobs=${count}`]);
    const lines = Object.keys(PLANTED).map((id) =>
      lineOf(bashCall(`touch ${mark}-${id}; until [ -e ${mark} ]; do sleep 0.02; done`, { id }))
    ).join("");
    const batch = [`--nats=${url}`, "--batch=while"];
    const waiting = toolcall(["submit", ...batch, "--durable"], { stdin: lines });
    await until(() => Object.keys(PLANTED).every((id) => existsFile(`${mark}-${id}`)));
    const connection = await connect({ servers: url });
    try {
      await plant(connection, "while");
    } finally {
      await connection.close();
    }
    // The worker may not write over these records. Without it, the calls leave the queue.
    Deno.writeTextFileSync(mark, "");
    expect(codes((await waiting).stdout)).toEqual(EXPECTED);
    await worker.end();
    const attached = await toolcall(["submit", ...batch, "--attach"]);
    expect(codes(attached.stdout)).toEqual(EXPECTED);
  },
);

natsTest("tasks --nats > a list that no caller wrote is replaced", async ({ url }) => {
  await initStreams(url);
  await using _ = await RunningWorker.start(url, ["-A", "--durable"]);
  const connection = await connect({ servers: url });
  try {
    for (const data of ['{"stream":"TOOLCALL_CALLS_0","seq":1}', "{", '[1,{"id":2}]']) {
      const subject = "toolcall.result.0.anyone.~tasks";
      await connection.request(subject, data, { timeout: 120_000 });
      const list = await toolcall(["tasks", `--nats=${url}`]);
      expect({ data, code: list.code, out: list.stdout })
        .toEqual({ data, code: 0, out: "No background tasks\n" });
    }
  } finally {
    await connection.close();
  }
  const call = JSON.stringify({ command: "echo done", run_in_background: true });
  expect((await toolcall(["call", `--nats=${url}`, "Bash", call])).code).toBe(0);
  expect((await toolcall(["tasks", `--nats=${url}`])).stdout).toContain("Bash");
});
