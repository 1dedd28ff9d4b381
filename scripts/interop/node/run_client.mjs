/**
 * Runs the cells of one client against one server, in a process of Node. `driver.mjs` beside this
 * file connects the client. The plan comes as JSON on the command line, and each cell's outcome
 * goes to stdout as a line of JSON.
 */
import { existsSync, readFileSync } from "node:fs";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { connect } from "./driver.mjs";

const { cells, server, directory, only } = JSON.parse(process.argv[2]);

/** The longest that a cell may take besides the long call, in milliseconds. */
const CELL_MS = 90_000;
/** The longest that the long call may take, in milliseconds. */
const LONG_MS = 150_000;
/** When a call that has reached the server is cancelled, in milliseconds. */
const ABORT_MS = 1_000;
/** The longest that the client may take to give up. */
const GIVE_UP_MS = 5_000;

/** A cell that is not as it should be. */
class Fault extends Error {}

function must(condition, why) {
  if (!condition) throw new Fault(why);
}

/** The first line of a text, without paths that differ from run to run. */
function short(text) {
  const line = String(text).replaceAll(directory, "DIR").replace(/\s+/g, " ").trim();
  return line.length > 160 ? `${line.slice(0, 157)}...` : line;
}

/** A connection whose messages a file logs. */
async function open(name) {
  const log = `${directory}/${name.replaceAll(" ", "_")}.log`;
  const client = await connect({
    ...server,
    args: [...server.args.slice(0, 1), log, ...server.args.slice(1)],
  });
  return { client, sent: () => existsSync(log) ? readFileSync(log, "utf8").split("\n") : [] };
}

/** What a call returned or threw, in one form. */
async function outcomeOf(work) {
  try {
    const { text = "", isError = false, ...rest } = await work;
    return { text, failed: isError, ...rest };
  } catch (error) {
    return { text: String(error?.message ?? error), failed: true };
  }
}

const judges = {
  async list({ client }, { names }) {
    const listed = await client.list();
    for (const name of names) {
      must(listed.some((each) => each.endsWith(name)), `no ${name} in ${short(listed.join(" "))}`);
    }
  },
  async call({ client }, { tool, args, text }) {
    const result = await outcomeOf(client.call(tool, args));
    must(!result.failed, `failed: ${short(result.text)}`);
    must(result.text.includes(text), `the text is ${short(result.text)}`);
  },
  async failure({ client }, { tool, args, text }) {
    const result = await outcomeOf(client.call(tool, args));
    must(result.failed, `no failure: ${short(result.text)}`);
    must(result.text.includes(text), `the message is ${short(result.text)}`);
  },
  async image({ client }, { tool, args }) {
    const result = await outcomeOf(client.call(tool, args));
    must(!result.failed, `failed: ${short(result.text)}`);
    must(result.images?.some((data) => data.includes("iVBORw0KGgo")), "the client gives no image");
  },
  async data({ client }, { tool, args, key }) {
    const result = await outcomeOf(client.call(tool, args));
    must(!result.failed, `failed: ${short(result.text)}`);
    must(result.data && key in result.data, "the client gives no structured content");
  },
  async progress({ client }, { tool, args }) {
    let updates = 0;
    const result = await outcomeOf(client.call(tool, args, { onProgress: () => updates++ }));
    must(!result.failed, `failed: ${short(result.text)}`);
    must(updates > 0, "the client gives no progress");
  },
  async cancel({ client, sent }, { tool, args, late }) {
    const controller = new AbortController();
    const call = outcomeOf(client.call(tool, args, { signal: controller.signal }));
    let early;
    call.then((outcome) => early = outcome);
    while (!sent().includes("tools/call") && early === undefined) await delay(100);
    await delay(ABORT_MS);
    must(early === undefined, `it ended early: ${short(early?.text)}`);
    controller.abort();
    const gaveUp = await Promise.race([call, delay(GIVE_UP_MS)]);
    must(gaveUp?.failed, "the client cannot cancel a call");
    await delay(500);
    const told = sent().some((line) => line.includes("notifications/cancelled")) ||
      sent().includes("end");
    must(told, "the client does not tell the server");
    if (late === undefined) return;
    // The program would have written the file by now.
    await delay(8_000);
    must(!existsSync(`${directory}/${late}`), "the program went on");
  },
};

async function measure(name, { judge, ...cell }, limit) {
  const own = isOwn(name);
  let connection;
  const start = performance.now();
  const seconds = () => Math.round((performance.now() - start) / 1000);
  try {
    const timeout = delay(limit, undefined, { ref: false })
      .then(() => Promise.reject(new Fault(`no answer after ${limit / 1000} s`)));
    const work = (async () => {
      connection = own ? await open(name) : await shared;
      await judges[judge](connection, cell);
    })();
    await Promise.race([work, timeout]);
    return { name, ok: true, detail: "", seconds: seconds() };
  } catch (error) {
    return { name, ok: false, detail: short(error?.message ?? error), seconds: seconds() };
  } finally {
    if (own) await close(connection);
  }
}

/** Closes a connection. A client that does not end is left to the end of this process. */
async function close(connection) {
  await Promise.race([connection?.client.close?.().catch(() => {}), delay(5_000)]);
}

function tell(outcome) {
  process.stdout.write(`${JSON.stringify(outcome)}\n`);
}

// A client may throw where nobody waits.
process.on("uncaughtException", (error) => process.stderr.write(`${error?.stack}\n`));
process.on("unhandledRejection", (error) => process.stderr.write(`${error?.stack ?? error}\n`));

const wanted = Object.entries(cells).filter(([name]) => only.includes(name));
const isOwn = (name) => name === "90-second call" || name === "cancel";
const shared = wanted.every(([name]) => isOwn(name)) ? undefined : open("shared");
shared?.catch(() => {});
const long = wanted.filter(([name]) => name === "90-second call")
  .map(([name, cell]) => measure(name, cell, LONG_MS).then(tell));
for (const [name, cell] of wanted) {
  if (name !== "90-second call") tell(await measure(name, cell, CELL_MS));
}
await Promise.all(long);
await close(await shared?.catch(() => undefined));
process.exit(0);
