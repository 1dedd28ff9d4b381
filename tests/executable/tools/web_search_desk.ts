/** Searches with the server of a provider. */
import { expect } from "@std/expect";
import { oneLine, type Result, temporaryDirectory, toolcall } from "../../support/executable.ts";
import { type Answering, countingServer } from "../../support/counting_server.ts";
import { submitCalls } from "./submitted_calls.ts";

/** The key of the providers. */
export const KEY = "tvly-Kq7!not/a+real=key";

/** The providers that have a server here. */
export type Provider = "searxng" | "brave" | "tavily";

/** A provider's server, and searches that are configured to use it. */
export async function provided(provider: Provider, answer: Answering) {
  const directory = temporaryDirectory();
  const server = countingServer(answer);
  const state = `--state-dir=${directory.path}/state`;
  const set = async (...settings: [setting: string, value: string][]) => {
    const results = await submitCalls(
      settings.map(([setting, value]) => ({ name: "Config", arguments: { setting, value } })),
      { flags: ["-A", state], jobs: 1 },
    );
    expect(results.map(({ exit }) => exit)).toEqual(settings.map(() => 0));
  };
  await set(["search.provider", provider], ["search.endpoint", `http://${server.host}/`]);
  return {
    server,
    config: (setting: string, value: string) => set([setting, value]),
    async search(args: Record<string, unknown>, env: Record<string, string> = {}) {
      const flags = [`--allow-net=${server.host}`, state];
      const run = await toolcall([...flags, "WebSearch", JSON.stringify(args)], { env });
      const result = oneLine(run) as Result;
      const output = run.stdout + run.stderr;
      return { ...result, exit: run.code, text: result.content[0]!.text, output };
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      directory[Symbol.dispose]();
    },
  };
}
