/** Users, keys and subjects: the server of deploy/nats.conf with real keys, and TLS. */
// tier: machine
import { expect } from "@std/expect";
import { temporaryDirectory, toolcall } from "../../../support/executable.ts";
import {
  initStreams,
  missingServer,
  NatsServer,
  natsTest,
  remoteCall,
  RunningWorker,
} from "../../../support/nats_server.ts";
import { makeAuthority } from "./authority.ts";
import { startProtected, type USERS } from "./protected_server.ts";
import { lineOf, readCall, resultsIn } from "../submit/submitted.ts";

Deno.test({
  name: "deploy/nats.conf > a user calls only the tools of its subjects",
  ignore: missingServer !== undefined,
  async fn() {
    using directory = temporaryDirectory();
    const { server, seeds } = await startProtected(directory.path);
    await using _server = server;
    const { url } = server;
    await initStreams(url, [`--nats-nkey=${seeds.ADMIN}`]);
    const flags = ["-A", "--durable", `--nats-nkey=${seeds.WORKER}`];
    await using _worker = await RunningWorker.start(url, flags);
    const path = `${directory.path}/a.txt`;
    Deno.writeTextFileSync(path, "hello");
    const as = (name: typeof USERS[number]) => [`--nats-nkey=${seeds[name]}`];
    const read = ["Read", { file_path: path }] as const;

    expect((await remoteCall(url, read, as("CALLER"))).exit).toBe(0);
    const refused = await remoteCall(url, ["Bash", { command: "id" }], as("CALLER"));
    expect(refused.exit).toBe(6);
    expect(refused.text).toContain("toolcall.call.default.Bash");
    expect((await remoteCall(url, ["Bash", { command: "echo hi" }], as("ADMIN"))).text).toBe(
      "hi\n",
    );

    const nobody = await remoteCall(url, read);
    expect(nobody.exit).toBe(8);
    expect(nobody.text).toContain("check --nats-creds or --nats-nkey");

    // The worker's tools cannot read the credentials, although they may do everything else.
    const seed = await remoteCall(url, ["Read", { file_path: seeds.WORKER }], as("CALLER"));
    expect(seed.exit).toBe(6);
    const printed = await remoteCall(
      url,
      ["Bash", { command: `cat ${seeds.WORKER}` }],
      as("ADMIN"),
    );
    expect(printed.isError).toBe(true);

    // The worker's own permissions are enough for durable calls, also with large results.
    const lines = Array.from({ length: 20 }, (_, at) => readCall(path, { id: `c${at}` }));
    const args = ["submit", `--nats=${url}`, "--durable", ...as("ADMIN")];
    const run = await toolcall(args, { stdin: lines.map(lineOf).join("") });
    expect({ code: run.code, count: resultsIn(run.stdout).length }).toEqual({ code: 0, count: 20 });
    const big = `${directory.path}/big.txt`;
    const content = "0123456789abcdef".repeat(60_000);
    const write = { id: "w", name: "Write", arguments: { file_path: big, content } };
    expect((await toolcall(args, { stdin: lineOf(write) })).code).toBe(0);
    expect(Deno.statSync(big).size).toBe(content.length);
    const init = await toolcall(["worker", "init", `--nats=${url}`, ...as("WORKER")]);
    expect(init.code).toBe(8);
  },
});

Deno.test({
  name: "call --nats > TLS needs the authority of the server's certificate",
  ignore: missingServer !== undefined,
  async fn() {
    using directory = temporaryDirectory();
    const { key, cert } = await makeAuthority(directory.path);
    await using server = await NatsServer.start(`tls { cert_file: "${cert}", key_file: "${key}" }`);
    const url = server.url.replace("nats:", "tls:");
    await using _ = await RunningWorker.start(url, ["--allow-read=/", `--tls-ca=${cert}`]);
    const call = ["Read", { file_path: "/etc/hostname" }] as const;
    expect((await remoteCall(url, call, [`--tls-ca=${cert}`])).exit).toBe(0);
    const without = await remoteCall(url, call);
    expect(without.exit).toBe(8);
    expect(without.text).toContain("--tls-ca=FILE");
  },
});

Deno.test({
  name: "call --nats > a server that verifies its clients needs --tls-cert and --tls-key",
  ignore: missingServer !== undefined,
  async fn() {
    using directory = temporaryDirectory();
    const { key, cert } = await makeAuthority(directory.path);
    const files = `cert_file: "${cert}", key_file: "${key}", ca_file: "${cert}"`;
    await using server = await NatsServer.start(`tls { ${files}, verify: true }`);
    const url = server.url.replace("nats:", "tls:");
    const flags = [`--tls-ca=${cert}`, `--tls-cert=${cert}`, `--tls-key=${key}`];
    await using _ = await RunningWorker.start(url, ["-A", ...flags]);
    const call = ["Read", { file_path: "/etc/hostname" }] as const;
    expect((await remoteCall(url, call, flags)).exit).toBe(0);
    // The alert of the server comes before or after the client listens for it.
    const refused = await Promise.all(
      Array.from({ length: 10 }, () => remoteCall(url, call, flags.slice(0, 1))),
    );
    expect(refused.map(({ exit }) => exit)).toEqual(refused.map(() => 8));
    // The worker's tools cannot read its key.
    expect((await remoteCall(url, ["Read", { file_path: key }], flags)).exit).toBe(6);
  },
});

/** The time for a reply, which takes some milliseconds on a quiet machine. */
const SOON = { timeout: 120_000 };

natsTest(
  "toolcall worker > a worker answers the services protocol, health checks and metrics requests",
  async ({ url }) => {
    const { connect, headers } = await import("@nats-io/transport-node");
    const { freePort } = await import("../../../support/nats_server.ts");
    const health = `127.0.0.1:${freePort()}`;
    using directory = temporaryDirectory();
    const log = `${directory.path}/calls.jsonl`;
    const flags = ["--allow-read=/", `--health=${health}`, `--audit=${log}`];
    await using worker = await RunningWorker.start(url, flags);
    expect((await remoteCall(url, ["Read", { file_path: "/etc/hostname" }])).exit).toBe(0);
    const connection = await connect({ servers: url });
    try {
      const ping = await connection.request("$SRV.PING.toolcall", "", SOON);
      expect(ping.json()).toMatchObject({ name: "toolcall", id: worker.name });
      const stats = await connection.request("$SRV.STATS.toolcall", "", SOON);
      const { endpoints } = stats.json() as { endpoints: { name: string; num_requests: number }[] };
      expect(endpoints.find(({ name }) => name === "Read")?.num_requests).toBe(1);
      const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
      const traced = headers();
      traced.set("traceparent", trace);
      const options = { headers: traced, ...SOON };
      await connection.request(
        "toolcall.call.default.Read",
        '{"file_path":"/etc/hostname"}',
        options,
      );
      const records = Deno.readTextFileSync(log).trim().split("\n").map((line) => JSON.parse(line));
      expect(records.at(-1)).toMatchObject({ tool: "Read", trace });
      const info = await connection.request(`$SRV.INFO.toolcall.${worker.name}`, "", SOON);
      expect(info.json()).toMatchObject({ type: "io.nats.micro.v1.info_response" });
      // A body cannot name another tool: it is only the arguments.
      const body = JSON.stringify({ name: "Bash", arguments: { command: "id" } });
      const reply = await connection.request("toolcall.call.default.Read", body, SOON);
      expect(reply.headers?.get("Toolcall-Code")).toBe("invalid_arguments");
    } finally {
      await connection.close();
    }
    expect(await (await fetch(`http://${health}/healthz`)).text()).toBe("ok\n");
    const metrics = await (await fetch(`http://${health}/metrics`)).text();
    expect(metrics).toContain('toolcall_calls_total{tool="Read",code="ok"} 2');
    expect(metrics.endsWith("# EOF\n")).toBe(true);
  },
);
