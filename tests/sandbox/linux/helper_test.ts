/** ripgrep behind the kernel's sandbox: the process that a search starts, and its limits. */
import { expect } from "@std/expect";
import { executable, temporaryDirectory } from "../../support/executable.ts";
import { until } from "../../support/wait.ts";

const ignore = Deno.build.os !== "linux";

/** The lines of a file of the kernel, or an empty list. */
function linesOf(path: string): string[] {
  try {
    return Deno.readTextFileSync(path).split("\n");
  } catch {
    return [];
  }
}

/** The processes below one, at any depth. */
function below(pid: number): number[] {
  const children = [...Deno.readDirSync(`/proc/${pid}/task`)].flatMap(({ name }) =>
    linesOf(`/proc/${pid}/task/${name}/children`).join(" ").split(" ").filter(Boolean).map(Number)
  );
  return children.flatMap((child) => [child, ...below(child)]);
}

const nameOf = (pid: number) => linesOf(`/proc/${pid}/comm`)[0];
const field = (pid: number, name: string) =>
  linesOf(`/proc/${pid}/status`).find((line) => line.startsWith(`${name}:`))?.slice(name.length + 1)
    .trim();
const isRunning = (pid: number) => !["", "Z"].includes((field(pid, "State") ?? "").slice(0, 1));

/** Whether every thread of a process waits. */
const allWait = (pid: number) =>
  [...Deno.readDirSync(`/proc/${pid}/task`)].every(({ name }) =>
    linesOf(`/proc/${pid}/task/${name}/status`).some((line) => /^State:\s+S/.test(line))
  );

/** A directory whose search waits, because its ignore file is a named pipe. */
async function waitingTree() {
  const directory = temporaryDirectory();
  Deno.writeTextFileSync(`${directory.path}/a.txt`, "hit\n");
  const made = await new Deno.Command("mkfifo", { args: [`${directory.path}/.gitignore`] })
    .output();
  expect(made.success).toBe(true);
  return directory;
}

/** Starts a search that waits, in one call or in a server. */
function startSearch(kind: string, flags: string[], cwd: string): Deno.ChildProcess {
  const search = { name: "Grep", arguments: { pattern: "hit" } };
  const args = kind === "mcp"
    ? ["mcp", ...flags]
    : [...flags, "Grep", JSON.stringify(search.arguments)];
  const child = new Deno.Command(executable, {
    ...{ args, cwd, stdin: "piped", stdout: "null", stderr: "null" },
    env: { RIPGREP_CONFIG_PATH: `${cwd}/rc`, SECRET: "of the caller" },
  }).spawn();
  if (kind === "mcp") {
    const messages = [
      {
        id: 1,
        method: "initialize",
        params: {
          protocolVersion: "2025-06-18",
          capabilities: {},
          clientInfo: { name: "test", version: "1" },
        },
      },
      { method: "notifications/initialized" },
      { id: 2, method: "tools/call", params: search },
    ];
    const lines = messages.map((each) => JSON.stringify({ jsonrpc: "2.0", ...each }) + "\n");
    const writer = child.stdin.getWriter();
    writer.write(new TextEncoder().encode(lines.join("")));
    writer.releaseLock();
  }
  return child;
}

for (const kind of ["one call", "mcp"]) {
  Deno.test({
    name: `helper > ${kind} > a search starts ripgrep alone, confined, and it ends with toolcall`,
    ignore,
    fn: async (t) => {
      for (const flags of [["--allow-read=."], ["-R", "--deny-read=rc"], ["-A"]]) {
        await t.step(flags.join(" "), async () => {
          using directory = await waitingTree();
          const child = startSearch(kind, flags, directory.path);
          let rg: number | undefined;
          expect(
            await until(() =>
              (rg = below(child.pid).find((pid) => nameOf(pid) === "rg")) !== undefined
            ),
          ).toBe(true);
          // No keeper, no shell and no further process of toolcall stands beside it.
          expect(below(child.pid).map(nameOf)).toEqual(["rg"]);
          expect(linesOf(`/proc/${rg}/environ`).join("")).toBe("");
          // Beside its streams it has only what it has opened itself, in the directory.
          const real = Deno.realPathSync(directory.path);
          const inherited = [...Deno.readDirSync(`/proc/${rg}/fd`)].map(({ name }) => name)
            .filter((name) => !Deno.readLinkSync(`/proc/${rg}/fd/${name}`).startsWith(real));
          expect(inherited.sort()).toEqual(["0", "1", "2"]);
          expect(Deno.readLinkSync(`/proc/${rg}/exe`)).toMatch(/\/rg$/);
          const isOpen = flags[0] === "-A";
          expect([field(rg!, "NoNewPrivs"), field(rg!, "Seccomp")])
            .toEqual(isOpen ? ["0", "0"] : ["1", "2"]);
          // Only after the start of ripgrep does the kernel learn whom to kill.
          expect(await until(() => allWait(child.pid))).toBe(true);
          // In a small tree a second thread would only make the search longer.
          expect(field(rg!, "Threads")).toBe("1");
          Deno.kill(child.pid, "SIGKILL");
          await child.status;
          expect(await until(() => !isRunning(rg!))).toBe(true);
          await child.stdin.close().catch(() => {});
        });
      }
    },
  });
}

Deno.test({
  name: "helper > C8 ripgrep reads nothing outside the grant, starts no program and has no network",
  ignore,
  fn: async () => {
    using directory = temporaryDirectory();
    const [granted, outside] = [`${directory.path}/granted`, `${directory.path}/outside`];
    const marker = `${outside}/marker`;
    Deno.mkdirSync(granted);
    Deno.mkdirSync(outside);
    Deno.writeTextFileSync(`${granted}/a.txt`, "inside\n");
    Deno.writeTextFileSync(`${granted}/a.gz`, "inside\n");
    Deno.writeTextFileSync(`${outside}/b.txt`, "secret\n");
    Deno.symlinkSync(outside, `${granted}/link`);
    Deno.writeTextFileSync(`${granted}/program`, `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 });
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "-A", "--no-check", "--config", "deno.json"],
        ...["tests/sandbox/linux/confined_helper.ts", granted, outside, marker],
      ],
    }).output();
    expect(new TextDecoder().decode(stderr).includes("panicked")).toBe(false);
    const tries = JSON.parse(new TextDecoder().decode(stdout)) as Record<string, string>;
    expect(tries["inside"]).toContain("a.txt:inside");
    expect(tries["outside"]).toMatch(/Permission denied/);
    expect(tries["link"]).not.toContain(":secret");
    expect(tries["preprocessor"]).toMatch(/preprocessor command could not start|Permission denied/);
    for (const name of ["program", "tcp", "unix", "signal", "write"]) {
      expect([name, tries[name]?.slice(0, 8)]).toEqual([name, "refused:"]);
    }
    expect([...Deno.readDirSync(outside)].map(({ name }) => name)).toEqual(["b.txt"]);
  },
});
