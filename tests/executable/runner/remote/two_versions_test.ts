/** Workers and submitters of different versions. The older one comes from the history. */
// tier: machine
import { connect } from "@nats-io/transport-node";
import { expect } from "@std/expect";
import { attempts } from "../../../support/attempts.ts";
import { type OtherProgram, temporaryDirectory, toolcall } from "../../../support/executable.ts";
import {
  initStreams,
  missingServer,
  NatsServer,
  natsTest,
  RunningWorker,
} from "../../../support/nats_server.ts";
import { bundleVersion, missingCommit } from "../../../support/older_version.ts";
import { bashCall, lineOf, readCall, resultsIn } from "../submit/submitted.ts";
import { codeOf, Edits } from "./durable_batches.ts";

/** The last version whose workers know no durable packs. */
const OLDER = "e76c26abf2f4b76025e16e2fa76a4cb3316db7ad";

/** Sends calls of each kind, and checks their results. */
async function checkCalls(url: string, program: OtherProgram | undefined): Promise<void> {
  using directory = temporaryDirectory();
  const file = `${directory.path}/a.txt`;
  Deno.writeTextFileSync(file, "hello\n");
  const count = attempts(10_000);
  const reads = Array.from({ length: count }, (_, id) => readCall(file, { id }));
  for (const flags of [[], ["--durable"]]) {
    const remote = (args: string[], stdin: string) =>
      toolcall([...args, `--nats=${url}`, ...flags], { stdin, program });
    const all = await remote(["submit"], reads.map(lineOf).join(""));
    const codes = resultsIn(all.stdout).map(codeOf);
    expect({ flags, code: all.code, count: codes.length, codes: [...new Set(codes)] })
      .toEqual({ flags, code: 0, count, codes: ["ok"] });
    const edits = new Edits(temporaryEdits(directory.path, flags), 40);
    const edited = await remote(["submit"], edits.lines.map(lineOf).join(""));
    expect({ flags, interrupted: edits.check(resultsIn(edited.stdout)) })
      .toEqual({ flags, interrupted: 0 });
    // A program, a failure, a permission that the caller gives up, and a large result.
    const large = `${directory.path}/large.txt`;
    Deno.writeTextFileSync(large, "0123456789abcdef\n".repeat(40_000));
    const others = [
      bashCall("echo hello", { id: "run" }),
      readCall(`${directory.path}/none`, { id: "none" }),
      { id: "large", name: "fs.read", arguments: { path: large.slice(1) } },
    ];
    const mixed = await remote(["submit"], others.map(lineOf).join(""));
    const byId = Object.fromEntries(
      resultsIn(mixed.stdout).map((result) => [result.id, codeOf(result)]),
    );
    expect({ flags, byId }).toEqual({
      flags,
      byId: { run: "ok", none: "tool_failed", large: "ok" },
    });
    const narrow = await remote(["submit", "--allow-read=/none"], lineOf(readCall(file)));
    expect({ flags, codes: resultsIn(narrow.stdout).map(codeOf) })
      .toEqual({ flags, codes: ["permission_denied"] });
  }
}

function temporaryEdits(path: string, flags: readonly string[]): string {
  const directory = `${path}/edits${flags.join("")}`;
  Deno.mkdirSync(directory);
  return directory;
}

const WORKER = ["-A", "--durable", "--jobs=4"];
/** The directory of the workers, so that `fs.read` reaches each file. */
const CWD = { cwd: "/" };

/** The cases: the versions of the workers, and of the submitters. */
const CASES = [
  { name: "an older worker answers a newer submitter", workers: ["older"], submitters: ["newer"] },
  { name: "a newer worker answers an older submitter", workers: ["newer"], submitters: ["older"] },
  {
    name: "a pool of both versions answers both",
    ...{ workers: ["older", "newer"], submitters: ["newer", "older"] },
  },
];

const missing = missingServer ?? missingCommit(OLDER);
// deno-lint-ignore no-console -- the reason why a test is skipped has to be seen
if (missing !== undefined) console.log(`skipped: two versions: ${missing}`);

Deno.test({
  name: "two versions > workers and submitters of both versions work together",
  ignore: missing !== undefined,
  async fn(t) {
    using older = bundleVersion(OLDER);
    const programOf = (version: string) => version === "older" ? older : undefined;
    for (const { name, workers, submitters } of CASES) {
      await t.step(name, async () => {
        await using server = await NatsServer.start();
        await using stack = new AsyncDisposableStack();
        await initStreams(server.url);
        for (const version of workers) {
          const options = { ...CWD, program: programOf(version) };
          stack.use(await RunningWorker.start(server.url, WORKER, options));
        }
        for (const version of submitters) await checkCalls(server.url, programOf(version));
      });
    }
  },
});

/** The reply to a pack of a version that knows no packs. It has run nothing. */
const UNREADABLE = {
  content: [{ type: "text", text: "The payload must be a JSON object: the tool's arguments" }],
  isError: true,
  _meta: { "toolcall/error": { code: "malformed_call" } },
};

const OK = { content: [{ type: "text", text: "     1\thello\n" }], isError: false };

natsTest("two versions > no call fails because a worker knows no packs", async ({ url }) => {
  using directory = temporaryDirectory();
  const file = `${directory.path}/a.txt`;
  Deno.writeTextFileSync(file, "hello\n");
  const connection = await connect({ servers: url });
  try {
    let refused = 0;
    // It acts as a worker without packs, and gets a part of the messages.
    connection.subscribe("toolcall.call.default.Read", {
      queue: "toolcall",
      callback: (_, message) => {
        const isPack = message.string().startsWith("[");
        if (isPack) refused++;
        message.respond(JSON.stringify(isPack ? UNREADABLE : OK));
      },
    });
    await connection.flush();
    await using _ = await RunningWorker.start(url, ["-A"]);
    const count = attempts(20_000);
    const stdin = Array.from({ length: count }, (_, id) => lineOf(readCall(file, { id }))).join("");
    const { code, stdout } = await toolcall(["submit", `--nats=${url}`], { stdin });
    const codes = resultsIn(stdout).map(codeOf);
    expect({ code, count: codes.length, codes: [...new Set(codes)] })
      .toEqual({ code: 0, count, codes: ["ok"] });
    expect(refused).toBeGreaterThan(0);
  } finally {
    await connection.close();
  }
});
