/** Progress of calls on workers: lines that come before the result. */
// tier: machine
import { jetstream } from "@nats-io/jetstream";
import { connect, headers } from "@nats-io/transport-node";
import { expect } from "@std/expect";
import { atTerminal } from "../../../support/at_terminal.ts";
import { call, executable, temporaryDirectory } from "../../../support/executable.ts";
import { calls, modelServer, says } from "../../../support/model_server.ts";
import {
  initStreams,
  natsTest,
  RunningWorker,
  until,
  within,
} from "../../../support/nats_server.ts";
import { hasTerminals, TerminalSession } from "../../../support/pseudo_terminal.ts";

/** The arguments of an agent, whose turns are progress. */
const AGENT = { description: "A test", subagent_type: "general-purpose", prompt: "Look" };

/** The progress of an agent that reads a file and then answers. */
const TURN = "turn 1: fs_read";

/** Starts a worker whose agents ask a model of this process. */
async function startWorker(
  url: string,
  directory: string,
  { endpoint, host }: { endpoint: string; host: string },
) {
  Deno.writeTextFileSync(`${directory}/colors.txt`, "red\ngreen\n");
  const own = `--state-dir=${directory}/state`;
  for (
    const [setting, value] of [["model.endpoint", endpoint], ["model.default", "llama"]] as const
  ) {
    expect((await call("Config", { setting, value }, { flags: ["-A", own] })).isError).toBe(false);
  }
  // The worker denies the hosts of NATS, so that others on loopback have to be named.
  return await RunningWorker.start(url, [
    "-A",
    `--allow-net=${host}`,
    "--durable",
    own,
    `--root=${directory}`,
  ]);
}

const answers = () => [calls(["fs_read", { path: "colors.txt" }]), says("Two colors")] as const;

natsTest(
  "call --nats > the progress of the worker is printed for the parent process",
  async ({ url }) => {
    using directory = temporaryDirectory();
    await using model = modelServer(...answers());
    await initStreams(url);
    await using _ = await startWorker(url, directory.path, model);
    const own = String(Deno.pid);
    const parent = new Deno.Command(executable, {
      args: ["call", `--nats=${url}`, "Agent", JSON.stringify(AGENT)],
      // A parent that reads progress, such as the server of MCP, sets both.
      ...{ env: { TOOLCALL_PARENT: own, TOOLCALL_PROGRESS: own }, stdin: "null", stderr: "null" },
    });
    const { stdout, code } = await within(parent.output());
    const lines = new TextDecoder().decode(stdout).trim().split("\n");
    const { content: [{ text }] } = JSON.parse(lines.at(-1)!);
    expect({ code, text }).toMatchObject({ code: 0 });
    expect(text).toContain("Two colors");
    expect(lines.slice(0, -1).join("\n")).toContain(TURN);
  },
);

natsTest("submit --durable > the progress of a call has its own subject", async ({ url }) => {
  using directory = temporaryDirectory();
  await using model = modelServer(...answers());
  await initStreams(url);
  await using _ = await startWorker(url, directory.path, model);
  const connection = await connect({ servers: url });
  try {
    let last = "";
    const heard: [subject: string, text: string][] = [];
    for (const subject of ["toolcall.progress.>", "toolcall.result.0.>"]) {
      connection.subscribe(subject, {
        callback: (_, message) => {
          const state = message.headers?.get("Toolcall-State");
          heard.push([message.subject, state || message.string()]);
          if (state === "done") last = message.string();
        },
      });
    }
    const wanted = headers();
    wanted.set("Toolcall-Progress", "1");
    const job = "toolcall.job.0.default.anyone.b.c.Agent";
    await jetstream(connection).publish(job, JSON.stringify(AGENT), { headers: wanted });
    await until(() => heard.some(([, text]) => text === "done"));
    // A call that starts others writes its claim first, and its result last.
    expect(last).toContain("Two colors");
    expect(heard).toEqual([
      ["toolcall.result.0.anyone.b.c", "running"],
      ["toolcall.progress.anyone.b.c", TURN],
      ["toolcall.result.0.anyone.b.c", "done"],
    ]);
  } finally {
    await connection.close();
  }
});

/** A program that prints a line before and after a file is there. Its lines are progress. */
const stepsUntil = (go: string) => ({
  command: `echo step 1; until [ -e ${go} ]; do sleep 0.02; done; echo step 2`,
});

if (hasTerminals) {
  natsTest("call --nats > a terminal shows the progress of the worker", async ({ url }) => {
    using directory = temporaryDirectory();
    const go = `${directory.path}/go`;
    const shown = /Bash {2}\d+ s {2}step 1/;
    await using _ = await RunningWorker.start(url, ["-A"]);
    const { code, written, lines } = await atTerminal([
      ...["call", `--nats=${url}`, "Bash", JSON.stringify(stepsUntil(go))],
    ], {
      onText(text) {
        if (shown.test(text)) Deno.writeTextFileSync(go, "");
      },
    });
    expect(code).toBe(0);
    expect(written).toMatch(shown);
    expect(lines.at(-1)).toBe("step 2");
  });

  natsTest("submit --nats > a terminal shows the last line of progress", async ({ url }) => {
    using directory = temporaryDirectory();
    await initStreams(url);
    await using _ = await RunningWorker.start(url, ["-A", "--durable"]);
    for (const flags of [[], ["--durable"]]) {
      const go = `${directory.path}/go${flags.length}`;
      await using session = new TerminalSession({
        ...{ name: "Bash", args: stepsUntil(go), flags: ["submit", `--nats=${url}`, ...flags] },
      });
      await session.sees("  step ");
      Deno.writeTextFileSync(go, "");
      expect((await session.end()).exit).toBe(0);
      expect(session.text()).not.toContain("step");
    }
  });
}
