/** Attacks of a user or a tool on the calls of others. The server or the worker refuses each. */
// tier: machine
import { connect, headers, type NatsConnection } from "@nats-io/transport-node";
import { nkeys } from "@nats-io/nats-core";
import { Objm } from "@nats-io/obj";
import { expect } from "@std/expect";
import { serverHosts } from "../../../../src/runner/remote/server_hosts.ts";
import { executable, temporaryDirectory, toolcall } from "../../../support/executable.ts";
import {
  existsFile,
  freePort,
  initStreams,
  NatsServer,
  natsTest,
  remoteCall,
  RunningWorker,
  until,
  within,
} from "../../../support/nats_server.ts";

import { startProtected } from "./protected_server.ts";

/** Connects to a server, and closes the connection in the end. */
async function withConnection(
  options: Parameters<typeof connect>[0],
  run: (connection: NatsConnection) => Promise<void>,
): Promise<void> {
  const connection = await connect(options);
  try {
    await run(connection);
  } finally {
    await connection.close();
  }
}

natsTest("toolcall worker > a call uses only its own object of arguments", async ({ url }) => {
  await initStreams(url);
  await using _ = await RunningWorker.start(url, ["--allow-read=/"]);
  await withConnection({ servers: url }, async (connection) => {
    const store = await new Objm(connection).open("toolcall_blobs");
    const args = new TextEncoder().encode('{"file_path":"/etc/hostname"}');
    await store.putBlob({ name: "anyone.other.1.args" }, args);
    for (const name of ["anyone.other.1.args", "x", "anyone.mine.2.args"]) {
      const naming = headers();
      naming.set("Toolcall-Blob", name);
      const inbox = "_INBOX.anyone.toolcall.mine.1";
      const replies = connection.subscribe(inbox, { max: 1, timeout: 120_000 });
      connection.publish("toolcall.call.default.Read", "", { headers: naming, reply: inbox });
      for await (const reply of replies) {
        expect({ name, code: reply.headers?.get("Toolcall-Code") })
          .toEqual({ name, code: "permission_denied" });
      }
      const options = { headers: naming, timeout: 120_000 };
      const plain = await connection.request("toolcall.call.default.Read", "", options);
      expect(plain.headers?.get("Toolcall-Code")).toBe("permission_denied");
    }
    expect((await store.getBlob("anyone.other.1.args"))?.length).toBe(args.length);
  });
});

natsTest("deploy/nats.conf > a user can neither read nor cancel the calls of others", async () => {
  const { nkeyAuthenticator } = await import("@nats-io/transport-node");
  using directory = temporaryDirectory();
  const { server, seeds, keys } = await startProtected(directory.path);
  await using _server = server;
  const { url } = server;
  await using _worker = await RunningWorker.start(url, ["-A", `--nats-nkey=${seeds.WORKER}`]);
  using work = temporaryDirectory();
  const mark = `${work.path}/started`;
  const wait = `until [ -e ${mark}-go ]; do sleep 0.02; done`;
  const child = new Deno.Command(executable, {
    args: [
      ...["call", `--nats=${url}`, `--nats-nkey=${seeds.ADMIN}`, "Bash"],
      JSON.stringify({ command: `touch ${mark}; ${wait}; echo ended` }),
    ],
    ...{ stdin: "null", stdout: "piped", stderr: "null" },
  }).spawn();
  const seed = Deno.readFileSync(seeds.CALLER);
  const heard: string[] = [];
  let call = "";
  await withConnection(
    { servers: url, authenticator: nkeyAuthenticator(Deno.readFileSync(seeds.ADMIN)) },
    async (admin) => {
      // The administrator may read everything, and gives the test the key of the call.
      admin.subscribe("_INBOX.*.toolcall.*.*", {
        callback: (_, { subject }) => {
          call = subject.replace("_INBOX.", "").replace(".toolcall", "");
        },
      });
      await until(() => existsFile(mark));
      await until(() => call !== "");
      expect(call.startsWith(`${keys.ADMIN}.`)).toBe(true);
      await withConnection(
        { servers: url, authenticator: nkeyAuthenticator(seed) },
        async (caller) => {
          const refused: string[] = [];
          (async () => {
            for await (const status of caller.status()) {
              if (status.type === "error") refused.push(status.error.message);
            }
          })();
          for (const subject of ["_INBOX.>", `_INBOX.${keys.ADMIN}.>`, "toolcall.>"]) {
            caller.subscribe(subject, {
              callback: (error, message) => {
                if (error === null) heard.push(message.subject);
                else refused.push(error.message);
              },
            });
          }
          caller.publish(`toolcall.cancel.${call}`);
          await caller.flush();
          await until(() => new Set(refused).size >= 4);
        },
      );
    },
  );
  Deno.writeTextFileSync(`${mark}-go`, "");
  const { code, stdout } = await within(child.output());
  const { content } = JSON.parse(new TextDecoder().decode(stdout));
  expect({ code, text: content[0].text, heard }).toEqual({ code: 0, text: "ended\n", heard: [] });
});

natsTest(
  "toolcall worker > a reply subject of another user opens no session of that user",
  async () => {
    const { nkeyAuthenticator } = await import("@nats-io/transport-node");
    using directory = temporaryDirectory();
    const subject = "toolcall.call.default.TaskCreate";
    const { server, seeds, keys } = await startProtected(
      directory.path,
      [subject, "toolcall.call.default.TaskList"],
    );
    await using _server = server;
    const { url } = server;
    const flags = ["-A", `--state-dir=${directory.path}/state`, `--nats-nkey=${seeds.WORKER}`];
    await using _ = await RunningWorker.start(url, flags);
    const create = (name: string) => ({ subject: name, description: name });
    const as = (user: "BUILDER" | "CALLER") => [`--nats-nkey=${seeds[user]}`, "--session=s"];
    const listOf = async (user: "BUILDER" | "CALLER") =>
      (await remoteCall(url, ["TaskList", {}], as(user))).text;
    const own = await remoteCall(url, ["TaskCreate", create("own task")], as("BUILDER"));
    expect(own.exit).toBe(0);
    const [victim, attacker] = [keys.BUILDER, nkeys.fromSeed(Deno.readFileSync(seeds.CALLER))];
    const sign = (batch: string) =>
      attacker.sign(new TextEncoder().encode(`toolcall calls of ${batch}`))
        .toBase64({ alphabet: "base64url", omitPadding: true });
    const replies: string[] = [];
    await withConnection(
      { servers: url, authenticator: nkeyAuthenticator(Deno.readFileSync(seeds.ADMIN)) },
      async (admin) => {
        // The attacker cannot read these replies. The administrator reads them for the test.
        admin.subscribe(`_INBOX.${victim}.toolcall.forged.*`, {
          callback: (_, message) => {
            if (message.headers?.get("Toolcall-Beat")) return;
            // The reply of a call that succeeded has no code.
            replies.push(message.headers?.get("Toolcall-Code") || "ok");
          },
        });
        await admin.flush();
        await withConnection(
          { servers: url, authenticator: nkeyAuthenticator(Deno.readFileSync(seeds.CALLER)) },
          async (caller) => {
            // The attacker sends no proof, signatures with its own key, and strings that are no signature.
            const proofs = [
              undefined,
              sign(`${keys.CALLER}.forged`),
              sign(`${victim}.forged`),
              "AAAA",
              "%",
            ];
            for (const [at, proof] of proofs.entries()) {
              const forged = headers();
              forged.set("Toolcall-Session", "s");
              if (proof !== undefined) forged.set("Toolcall-Proof", proof);
              const reply = `_INBOX.${victim}.toolcall.forged.${at}`;
              caller.publish(subject, JSON.stringify(create("forged task")), {
                ...{ headers: forged, reply },
              });
            }
            await caller.flush();
          },
        );
      },
    );
    // The worker answers this call after it has seen the others.
    expect(await listOf("BUILDER")).toContain("own task");
    expect(replies).toEqual([]);
    expect(await listOf("BUILDER")).not.toContain("forged task");
    expect(await listOf("CALLER")).not.toContain("task");
  },
);

natsTest("toolcall worker > the tools of a worker reach no server of the cluster", async () => {
  const [client, first, second] = [freePort(), freePort(), freePort()];
  const cluster = (own: number, other: number) =>
    `cluster { name: c, listen: "127.0.0.1:${own}", routes: ["nats://127.0.0.1:${other}"] }`;
  // Without JetStream, a cluster of two is enough.
  await using one = await NatsServer.start(`server_name: a\n${cluster(first, second)}`);
  await using two = await NatsServer.start(
    `server_name: b\n${cluster(second, first)}`,
    { port: client },
  );
  await withConnection({ servers: one.url }, async (connection) => {
    await until(() => (connection.info?.connect_urls ?? []).length >= 2);
    const hosts = await serverHosts(connection, { servers: [`nats://${Deno.hostname()}:4333`] });
    expect(hosts).toContain(`:${two.port}`);
    const { lookup } = await import("node:dns/promises");
    const { address } = await lookup(Deno.hostname());
    expect(hosts).toContain(`${address}:4333`);
  });
  await using _ = await RunningWorker.start(one.url, ["-A"]);
  for (const { port } of [one, two]) {
    for (const host of ["127.0.0.1", "localhost", "127.0.0.2"]) {
      const call = ["WebFetch", { url: `http://${host}:${port}/`, prompt: "x" }] as const;
      const { exit, text } = await remoteCall(one.url, call);
      expect({ host, exit, denied: text.includes("--deny-net=") })
        .toEqual({ host, exit: 6, denied: true });
    }
  }
});

natsTest("toolcall worker > the flag --unconfined-run is refused", async ({ url }) => {
  const run = await toolcall(["worker", `--nats=${url}`, "-A", "--unconfined-run"]);
  expect(run.code).toBe(2);
  expect(run.stderr).toContain("A worker cannot use --unconfined-run");
});
