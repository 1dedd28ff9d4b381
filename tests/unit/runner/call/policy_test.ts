/** The policy of a tool in the configuration overrides the declaration of the tool. */
import { expect } from "@std/expect";
import { executeCall } from "../../../../src/runner/call/execute.ts";
import { callPolicy } from "../../../../src/runner/call/run.ts";
import type { Policy } from "../../../../src/runner/registry/define.ts";
import { Registry } from "../../../../src/runner/registry/registry.ts";
import { entries } from "../../../../tools/_generated/index.ts";
import { temporaryDirectory } from "../../../support/temporary_directory.ts";
import { settingsIn } from "./settings_in.ts";

const rateLimit = { calls: 2, windowMs: 60_000 };

/** Policies in the configuration, and the policy that a call then gets. */
const policies: {
  what: string;
  tool: string;
  args?: Record<string, unknown>;
  configured?: Policy;
  expected: Partial<ReturnType<typeof callPolicy>>;
}[] = [
  { what: "a declared time limit applies", tool: "git", expected: { timeoutMs: 60_000 } },
  {
    what: "the default time limit applies without a declaration",
    tool: "Read",
    expected: { timeoutMs: 30_000 },
  },
  { what: "declared retries apply", tool: "rss_feed", expected: { maxRetries: 2 } },
  {
    what: "a shorter configured time limit applies",
    tool: "git",
    configured: { timeoutMs: 9 },
    expected: { timeoutMs: 9 },
  },
  {
    what: "a longer configured time limit applies",
    tool: "git",
    configured: { timeoutMs: 90_000 },
    expected: { timeoutMs: 90_000 },
  },
  {
    what: "a configured time limit below the one of the arguments applies",
    tool: "Bash",
    args: { timeout: 5_000 },
    configured: { timeoutMs: 2_000 },
    expected: { timeoutMs: 2_000 },
  },
  {
    what: "the time limit of the arguments applies below a configured one",
    tool: "Bash",
    args: { timeout: 5_000 },
    configured: { timeoutMs: 9_000 },
    expected: { timeoutMs: 5_000 },
  },
  {
    what: "a time limit is at most the longest time of a timer",
    tool: "Read",
    configured: { timeoutMs: 1e12 },
    expected: { timeoutMs: 2 ** 31 - 1 },
  },
  {
    what: "a configuration can disable retries and set a rate limit",
    tool: "WebFetch",
    configured: { maxRetries: 0, rateLimit },
    expected: { timeoutMs: 120_000, rateLimit },
  },
  {
    what: "a tool that is not idempotent gets no retries",
    tool: "Edit",
    configured: { maxRetries: 5 },
    expected: { maxRetries: 0 },
  },
  {
    what: "an idempotent tool gets the configured retries",
    tool: "Write",
    configured: { maxRetries: 5 },
    expected: { maxRetries: 5 },
  },
];

for (const { what, tool: name, args = {}, configured = {}, expected } of policies) {
  Deno.test(`policy > ${what}`, async () => {
    const tool = await new Registry(entries).get(name).load();
    const definition = await tool.load();
    expect(callPolicy({ tool, definition, args }, settingsIn("/", configured)))
      .toEqual({ timeoutMs: 30_000, maxRetries: 0, ...expected });
  });
}

Deno.test("policy > a call that starts programs is never retried", async () => {
  const bash = await new Registry(entries).get("Bash").load();
  const definition = await bash.load();
  const tool = { ...bash, metadata: { ...bash.metadata, idempotent: true } };
  const settings = settingsIn("/", { maxRetries: 5 });
  expect(callPolicy({ tool, definition, args: { timeout: 1 } }, settings).maxRetries).toBe(0);
});

Deno.test("policy > a configured rate limit applies to a tool without a declared one", async () => {
  using directory = temporaryDirectory();
  const settings = settingsIn(directory.path, { rateLimit });
  Deno.writeTextFileSync(`${directory.path}/a.txt`, "a\n");
  const call = () => executeCall({ name: "fs.read", arguments: { path: "a.txt" } }, settings);
  const results = [await call(), await call(), await call()];
  expect(results.map(({ isError }) => isError)).toEqual([false, false, true]);
  expect(results[2]!._meta!["toolcall/error"]).toMatchObject({ code: "unavailable", rateLimit });
});
