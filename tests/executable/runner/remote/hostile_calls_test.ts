/** Hostile callers: headers that try to widen permissions, tools outside the ACL, races of cancels. */
// tier: machine
import { connect, headers, nkeyAuthenticator } from "@nats-io/transport-node";
import { expect } from "@std/expect";
import { attempts } from "../../../support/attempts.ts";
import { temporaryDirectory, toolcall } from "../../../support/executable.ts";
import {
  initStreams,
  missingServer,
  natsTest,
  RunningWorker,
  until,
} from "../../../support/nats_server.ts";
import { codeOf, Edits, RunningBatch } from "./durable_batches.ts";
import { startProtected, USERS } from "./protected_server.ts";

/** A random element. */
const oneOf = <T>(all: readonly T[]) => all[Math.floor(Math.random() * all.length)]!;

/** Flags that would give a call more than its worker has, and values that are no flags. */
const WIDENING = [
  ...["-A", "--allow-all", "--allow-read", "--allow-read=/", "--allow-write=/", "--allow-net"],
  ...["--allow-run", "--allow-run=bash", "--allow-env", "--unconfined-run", "--root=/", "-P", ""],
  ...["--config=/etc/passwd", "--state-dir=/tmp", "--", "--deny-read", "--deny-read=/none", "Bash"],
  ...["--allow-read=/\u0000", "--allow-read=..", "--allow-read=%2F", "--allow-read=/,,/", "-A=1"],
];

natsTest(
  "toolcall worker > no narrowing header widens the permissions of a worker",
  async ({ url }) => {
    using directory = temporaryDirectory();
    const [inner, secret] = [`${directory.path}/inner`, `${directory.path}/secret`];
    Deno.mkdirSync(inner);
    Deno.writeTextFileSync(secret, "the secret");
    await using _ = await RunningWorker.start(url, [`--allow-read=${inner}`]);
    const connection = await connect({ servers: url });
    try {
      const codes = new Set<string>();
      for (let at = 0; at < attempts(1_000); at++) {
        const flags = Array.from(
          { length: 1 + at % 4 },
          () => oneOf([...WIDENING, `--allow-read=${secret}`, `--allow-read=${directory.path}`]),
        );
        const json = JSON.stringify(flags);
        const text = oneOf([
          json,
          encodeURIComponent(json),
          json.slice(1),
          `"${flags[0]}"`,
          "%",
          "{}",
        ]);
        const hostile = headers();
        // A client can send the bytes of the header as they are.
        hostile.append("Toolcall-Narrow", text.replaceAll("\u0000", "%00"));
        const body = JSON.stringify({ file_path: secret });
        const options = { headers: hostile, timeout: 120_000 };
        const reply = await connection.request("toolcall.call.default.Read", body, options);
        expect({ text, isShown: reply.string().includes("the secret") })
          .toEqual({ text, isShown: false });
        const code = reply.headers?.get("Toolcall-Code") ?? "";
        expect({ text, code: ["invalid_arguments", "permission_denied"].includes(code) })
          .toEqual({ text, code: true });
        codes.add(code);
      }
      expect(codes.size).toBe(2);
      // The headers have not changed the worker.
      const after = await connection.request(
        "toolcall.call.default.Read",
        `{"file_path":"${secret}"}`,
        { timeout: 120_000 },
      );
      expect(after.headers?.get("Toolcall-Code")).toBe("permission_denied");
    } finally {
      await connection.close();
    }
  },
);

Deno.test({
  name: "deploy/nats.conf > each user can call exactly the tools that it is allowed",
  ignore: missingServer !== undefined,
  async fn() {
    using directory = temporaryDirectory();
    const { server, seeds } = await startProtected(directory.path);
    await using _server = server;
    await using _ = await RunningWorker.start(server.url, ["-A", `--nats-nkey=${seeds.WORKER}`]);
    const tools = (await toolcall(["list", "--format=json"])).stdout;
    const names = (JSON.parse(tools) as { name: string }[]).map(({ name }) => name);
    expect(names.length).toBeGreaterThan(20);
    const allowed = {
      ...{ ADMIN: names, WORKER: [], CALLER: ["Read", "Grep"], BUILDER: ["Read", "Bash"] },
    } as const;
    for (const user of USERS) {
      const authenticator = nkeyAuthenticator(Deno.readFileSync(seeds[user]));
      const connection = await connect({ servers: server.url, authenticator });
      const refused = new Set<string>();
      const done = (async () => {
        for await (const status of connection.status()) {
          if (status.type !== "error") continue;
          const [, tool] = /toolcall\.call\.default\.([^"]+)/.exec(status.error.message) ?? [];
          if (tool !== undefined) refused.add(tool);
        }
      })();
      // No arguments, so that no tool does anything.
      for (const name of names) connection.publish(`toolcall.call.default.${name}`, "[]");
      await connection.flush();
      const denied = names.filter((name) => !(allowed[user] as readonly string[]).includes(name));
      // The client reports the server's errors one by one.
      await until(() => refused.size >= denied.length);
      await connection.close();
      await done;
      expect({ user, refused: [...refused].sort() }).toEqual({ user, refused: denied.sort() });
    }
  },
});

natsTest("submit --cancel > a waiting call starts or is cancelled, never both", async ({ url }) => {
  await initStreams(url);
  await using _ = await RunningWorker.start(url, ["-A", "--durable", "--jobs=2"]);
  const [count, counts] = [500, new Map<string, number>()];
  for (let round = 0; round < attempts(10_000) / count; round++) {
    using directory = temporaryDirectory();
    const edits = new Edits(directory.path, count);
    await using batch = new RunningBatch(url, ["--durable", "--jobs=1000", `--batch=r${round}`]);
    await batch.send(edits.lines);
    await batch.until(Math.floor(Math.random() * count / 2));
    const cancel = await toolcall(["submit", `--nats=${url}`, `--batch=r${round}`, "--cancel"]);
    expect(cancel.code).toBe(0);
    await batch.end();
    expect(new Set(batch.results.map(({ id }) => id)).size).toBe(count);
    for (const result of batch.results) {
      const [begun, code] = [edits.begun(result.id), codeOf(result)];
      const text = result.content[0]?.text;
      counts.set(code, (counts.get(code) ?? 0) + 1);
      if (code === "ok") expect({ id: result.id, begun }).toEqual({ id: result.id, begun: 1 });
      else expect({ id: result.id, code }).toEqual({ id: result.id, code: "cancelled" });
      // With this text, the ledger promises that the call never begins.
      if (text === "The batch was cancelled") {
        expect({ id: result.id, begun }).toEqual({ id: result.id, begun: 0 });
      }
    }
  }
  expect(counts.get("ok")).toBeGreaterThan(0);
  expect(counts.get("cancelled")).toBeGreaterThan(0);
});
