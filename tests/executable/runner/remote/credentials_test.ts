/** Credentials files: a JWT of an account, and the seed of its user. */
// tier: machine
import { nkeys } from "@nats-io/nats-core";
import { expect } from "@std/expect";
import { temporaryDirectory, toolcall } from "../../../support/executable.ts";
import {
  initStreams,
  missingServer,
  NatsServer,
  remoteCall,
  RunningWorker,
} from "../../../support/nats_server.ts";
import { lineOf, readCall, resultsIn } from "../submit/submitted.ts";

type KeyPair = ReturnType<typeof nkeys.createUser>;

/** Signs claims as a JWT in the form of NATS. */
function sign(
  issuer: KeyPair,
  subject: KeyPair,
  { type, ...claims }: { type: string; [name: string]: unknown },
): string {
  const encode = (value: unknown) =>
    new TextEncoder().encode(JSON.stringify(value))
      .toBase64({ alphabet: "base64url", omitPadding: true });
  const body = {
    ...{ jti: crypto.randomUUID(), iat: Math.floor(Date.now() / 1_000), name: type },
    ...{ iss: issuer.getPublicKey(), sub: subject.getPublicKey() },
    nats: { type, version: 2, ...claims },
  };
  const text = `${encode({ typ: "JWT", alg: "ed25519-nkey" })}.${encode(body)}`;
  const signature = issuer.sign(new TextEncoder().encode(text));
  return `${text}.${signature.toBase64({ alphabet: "base64url", omitPadding: true })}`;
}

/** No limits, for an account with JetStream. */
const ACCOUNT = {
  type: "account",
  limits: {
    ...{ subs: -1, data: -1, payload: -1, imports: -1, exports: -1, wildcards: true },
    ...{ conn: -1, leaf: -1, mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 },
  },
};

/** The claims of a user, whose permissions are the ones given. */
const userClaims = (permissions: Record<string, unknown> = {}) => ({
  ...{ type: "user", subs: -1, data: -1, payload: -1, ...permissions },
});

/** A file of credentials, as `nsc` writes it. */
const credentials = (jwt: string, user: KeyPair) =>
  `-----BEGIN NATS USER JWT-----
${jwt}
------END NATS USER JWT------

************************* IMPORTANT *************************
-----BEGIN USER NKEY SEED-----
${new TextDecoder().decode(user.getSeed())}
------END USER NKEY SEED------
`;

Deno.test({
  name: "--nats-creds > the server identifies the users by the JWTs of their account",
  ignore: missingServer !== undefined,
  async fn() {
    using directory = temporaryDirectory();
    const { path } = directory;
    const [operator, system, account] = [
      nkeys.createOperator(),
      nkeys.createAccount(),
      nkeys.createAccount(),
    ];
    const [systemKey, accountKey] = [system.getPublicKey(), account.getPublicKey()];
    const operatorJwt = sign(operator, operator, { type: "operator", system_account: systemKey });
    await using server = await NatsServer.start(`operator: ${operatorJwt}
system_account: ${systemKey}
resolver: MEMORY
resolver_preload {
  ${systemKey}: ${
      sign(operator, system, {
        ...ACCOUNT,
        limits: { ...ACCOUNT.limits, disk_storage: 0, mem_storage: 0 },
      })
    }
  ${accountKey}: ${sign(operator, account, ACCOUNT)}
}`);
    const { url } = server;
    const write = (name: string, issuer: KeyPair, permissions?: (key: string) => object) => {
      const user = nkeys.createUser();
      const jwt = sign(issuer, user, userClaims({ ...permissions?.(user.getPublicKey()) }));
      Deno.writeTextFileSync(`${path}/${name}.creds`, credentials(jwt, user), { mode: 0o600 });
      return `--nats-creds=${path}/${name}.creds`;
    };
    const [admin, stranger] = [write("admin", account), write("stranger", nkeys.createAccount())];
    const reader = write("reader", account, (key) => ({
      pub: { allow: ["toolcall.call.default.Read", `toolcall.cancel.${key}.>`] },
      sub: { allow: [`_INBOX.${key}.>`] },
    }));
    const file = `${path}/a.txt`;
    Deno.writeTextFileSync(file, "hello");
    await initStreams(url, [admin]);
    await using _ = await RunningWorker.start(url, ["-A", "--durable", admin]);
    const call = ["Read", { file_path: file }] as const;

    expect((await remoteCall(url, call, [reader])).exit).toBe(0);
    expect((await remoteCall(url, ["Bash", { command: "id" }], [reader])).exit).toBe(6);
    expect((await remoteCall(url, ["Bash", { command: "true" }], [admin])).exit).toBe(0);
    for (const flags of [[stranger], []]) {
      const { exit, text } = await remoteCall(url, call, flags);
      expect({ flags, exit }).toEqual({ flags, exit: 8 });
      expect(text).toContain("check --nats-creds or --nats-nkey");
    }
    const lines = Array.from({ length: 20 }, (_, at) => lineOf(readCall(file, { id: `c${at}` })));
    const args = ["submit", `--nats=${url}`, "--durable", admin];
    const run = await toolcall(args, { stdin: lines.join("") });
    expect({ code: run.code, count: resultsIn(run.stdout).length }).toEqual({ code: 0, count: 20 });

    // No tool of the worker reads the file, which has the seed.
    for (
      const bad of [["Read", { file_path: `${path}/admin.creds` }], ["Bash", {
        command: `cat ${path}/admin.creds`,
      }]] as const
    ) {
      const { isError, text } = await remoteCall(url, bad, [admin]);
      expect({ isError, isShown: text.includes("BEGIN USER") }).toEqual({
        isError: true,
        isShown: false,
      });
    }
    Deno.writeTextFileSync(`${path}/empty.creds`, "nothing");
    const empty = await remoteCall(url, call, [`--nats-creds=${path}/empty.creds`]);
    expect({ exit: empty.exit, text: empty.text }).toEqual({
      exit: 8,
      text: `There is no valid NKey seed in "${path}/empty.creds"`,
    });
  },
});
