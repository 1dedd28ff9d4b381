/** A failure of an MCP server is temporary only if the server has surely not begun the call. */
import { SdkError, SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client";
import { expect } from "@std/expect";
import {
  type Attempt,
  connectionError,
} from "../../../../../src/runner/mcp/client/connection_error.ts";
import { boundedFetch } from "../../../../../src/runner/mcp/bounded_fetch.ts";

const attempt: Attempt = {
  ...{ server: "tides", action: 'call "low"', redact: (text: string) => text, waitedMs: 10 },
  exitReason: () => Promise.resolve(""),
};

const http = (status: number) =>
  new SdkHttpError(SdkErrorCode.ClientHttpFailedToOpenStream, "Not now", { status });

for (
  const [status, passes] of [[429, true], [503, true], [502, false], [504, false], [401, false]]
    .map(([status, passes]) => [Number(status), passes === true] as const)
) {
  Deno.test(`mcp client > HTTP ${status} is ${passes ? "" : "not "}temporary`, async () => {
    const { code, details } = await connectionError(http(status), attempt);
    expect(code).toBe("unavailable");
    expect(details["passing"]).toBe(passes ? true : undefined);
  });
}

Deno.test("mcp client > a refused connection is temporary only before the server was reached", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  const error = await boundedFetch(`http://127.0.0.1:${port}/`).catch((error) => error);
  const connecting = await connectionError(error, { ...attempt, isConnecting: true });
  expect(connecting.details["passing"]).toBe(true);
  const asking = await connectionError(error, attempt);
  expect(asking.details["passing"]).toBeUndefined();
});

Deno.test("mcp client > a result with unknown content names the entry", async () => {
  const faults = [{ code: "invalid_union", path: ["content", 1], message: "Invalid input" }];
  const error = new SdkError(SdkErrorCode.InvalidResult, `Invalid: ${JSON.stringify(faults)}`);
  const { code, message } = await connectionError(error, attempt);
  expect(code).toBe("tool_failed");
  expect(message).toContain(
    '"/content/1" has a type or fields that MCP does not define for content',
  );
});
