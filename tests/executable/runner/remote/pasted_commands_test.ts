/** The commands of docs/distribution.md, pasted one after the other into a shell. */
// tier: machine
import { expect } from "@std/expect";
import { executable, temporaryDirectory } from "../../../support/executable.ts";
import { freePort, missingServer } from "../../../support/nats_server.ts";

/** The address that the page uses. */
const PAGE_URL = "nats://127.0.0.1:4222";

/** The commands of a section of the page. */
function commandsIn(section: string): string[] {
  const page = new URL("../../../../docs/distribution.md", import.meta.url);
  const text = Deno.readTextFileSync(page).split(`\n## ${section}\n`)[1]!.split("\n## ")[0]!;
  return [...text.matchAll(/```sh\n([^]*?)```/g)].flatMap(([, code]) => code!.trim().split("\n"));
}

/** A shell that runs pasted commands. A command that does not end runs until the next one of its kind. */
class PastingShell implements AsyncDisposable {
  readonly #port = freePort();
  readonly #running = new Map<string, Deno.ChildProcess>();

  /** Takes the working directory, which also has the data of the server. */
  constructor(readonly directory: string) {
    Deno.mkdirSync(`${directory}/bin`);
    Deno.symlinkSync(executable, `${directory}/bin/toolcall`);
  }

  /** Runs a command to its end, or until it is ready. Returns its output. */
  async run(pasted: string): Promise<string> {
    const [program, command] = pasted.split(" ");
    const own = pasted.replaceAll(PAGE_URL, `nats://127.0.0.1:${this.#port}`);
    if (program === "nats-server") {
      const address = `-a 127.0.0.1 -p ${this.#port} -sd ${this.directory}/js`;
      return await this.#start(program, `${own} ${address}`, "Server is ready");
    }
    if (command === "worker" && !pasted.startsWith("toolcall worker init")) {
      return await this.#start("worker", own, " offers ");
    }
    const { code, stdout, stderr } = await this.#spawn(own).output();
    const text = new TextDecoder().decode(stdout);
    if (code !== 0) throw new Error(`${pasted}: ${text}${new TextDecoder().decode(stderr)}`);
    return text;
  }

  #spawn(command: string): Deno.Command {
    return new Deno.Command("bash", {
      args: ["-c", command],
      cwd: this.directory,
      env: { PATH: `${this.directory}/bin:${Deno.env.get("PATH")}` },
      ...{ stdin: "null", stdout: "piped", stderr: "piped" },
    });
  }

  async #start(kind: string, command: string, ready: string): Promise<string> {
    await this.#end(kind);
    const child = this.#spawn(`exec ${command}`).spawn();
    this.#running.set(kind, child);
    child.stdout.cancel();
    const reader = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes(ready)) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`${command}: ${text}`);
      text += value;
    }
    (async () => {
      while (!(await reader.read()).done) { /* It may continue to print. */ }
    })();
    return text;
  }

  async #end(kind: string): Promise<void> {
    const child = this.#running.get(kind);
    child?.kill("SIGTERM");
    await child?.status;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const kind of ["worker", "nats-server"]) await this.#end(kind);
  }
}

Deno.test({
  name: "docs/distribution.md > the commands of the page work when they are pasted",
  ignore: missingServer !== undefined,
  async fn() {
    using directory = temporaryDirectory();
    Deno.writeTextFileSync(`${directory.path}/README.md`, "hello\n");
    await using shell = new PastingShell(directory.path);
    const start = commandsIn("Quick start on one laptop");
    expect(start).toHaveLength(5);
    const printed = [];
    for (const each of start) printed.push(await shell.run(each));
    expect(printed[2]).toContain("hello");
    const results = () => Deno.readTextFileSync(`${directory.path}/results.ndjson`);
    expect(JSON.parse(results())).toMatchObject({ id: 1, isError: false });
    const batches = [];
    for (const each of commandsIn("Durable batches")) batches.push(await shell.run(each));
    const [, , submitted, attached] = batches;
    expect(attached).toBe(submitted);
    expect(JSON.parse(attached!)).toMatchObject({ id: 1, isError: false });
    const tasks = [];
    for (const each of commandsIn("Background tasks")) tasks.push(await shell.run(each));
    const [, started, list] = tasks;
    const { id } = JSON.parse(started!)._meta["toolcall/task"];
    // Its output is no terminal, so the list is a table without colors.
    expect(list).toMatch(/^TASK +STATUS +AGE +TOOL +WORKER +TITLE\n/);
    expect(list).toContain(id);
  },
});
