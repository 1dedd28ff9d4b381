/** A process that confines itself as a search does, and prints what ripgrep and it can still do. */
import { rgPath } from "@vscode/ripgrep";
import { Helper } from "../../../src/runner/sandbox/executors/helper.ts";
import { enterFileSandbox } from "../../../src/runner/sandbox/linux/file_sandbox.ts";

const [granted = "", outside = "", marker = ""] = Deno.args;
const helper = new Helper(Deno.realPathSync(rgPath));
helper.open();
const read = [granted, Deno.realPathSync(rgPath)];
enterFileSandbox({ read, list: [], write: [] }, [], helper);

async function ripgrep(...args: string[]): Promise<string> {
  const process = helper.start(["--no-config", ...args], {
    cwd: granted,
    signal: new AbortController().signal,
  });
  let text = "";
  for await (const { bytes } of process.pieces) text += new TextDecoder().decode(bytes);
  return text;
}

async function outcome(work: () => unknown): Promise<string> {
  try {
    return `did it: ${await work()}`;
  } catch (error) {
    return `refused: ${(error as Error).message}`;
  }
}

const tries = {
  inside: await outcome(() => ripgrep("inside", granted)),
  outside: await outcome(() => ripgrep("secret", outside)),
  link: await outcome(() => ripgrep("--follow", "secret", granted)),
  preprocessor: await outcome(() => ripgrep(`--pre=${granted}/program`, "inside", granted)),
  decompressor: await outcome(() => ripgrep("--search-zip", "inside", `${granted}/a.gz`)),
  program: await outcome(() => new Deno.Command("/bin/touch", { args: [marker] }).outputSync()),
  tcp: await outcome(() => Deno.connect({ hostname: "127.0.0.1", port: 9 })),
  unix: await outcome(() => Deno.connect({ transport: "unix", path: `${granted}/socket` })),
  signal: await outcome(() => Deno.kill(Deno.ppid, "SIGCONT")),
  write: await outcome(() => Deno.writeTextFileSync(marker, "")),
};
// deno-lint-ignore no-console
console.log(JSON.stringify(tries));
