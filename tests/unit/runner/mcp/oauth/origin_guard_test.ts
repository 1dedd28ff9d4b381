import { expect } from "@std/expect";
import { OriginGuard } from "../../../../../src/runner/mcp/oauth/origin_guard.ts";

/** The result of the guard for an address: an error, or the note of its question. */
async function answerOf(address: string, server: string, named: string[]): Promise<string> {
  let asked = "agreed";
  const guard = new OriginGuard({
    ...{ server: "it", url: server, named, signal: new AbortController().signal },
    ask: (origin, { note = "no note" }) => {
      asked = `asked about ${origin}: ${note}`;
      return Promise.resolve();
    },
  });
  try {
    await guard.admit(new URL(address));
    return asked;
  } catch (error) {
    return (error as Error).message;
  }
}

const PUBLIC = "https://8.8.8.8/mcp";
const LOCAL = "http://127.0.0.1:1/mcp";

const rows: [address: string, server: string, named: string[], says: string][] = [
  ["https://8.8.8.8/token", PUBLIC, [], "agreed"],
  ["https://9.9.9.9/token", PUBLIC, [], "asked about https://9.9.9.9: no note"],
  ["https://9.9.9.9/token", PUBLIC, ["https://9.9.9.9"], "agreed"],
  ["http://9.9.9.9/token", PUBLIC, ["http://9.9.9.9"], "does not start with https"],
  ["https://u:p@9.9.9.9/", PUBLIC, ["https://9.9.9.9"], "it has a password"],
  ["http://127.0.0.1/token", PUBLIC, [], "its address is a loopback address"],
  ["http://localhost:80/token", PUBLIC, [], "its address is"],
  ["https://10.0.0.1/token", PUBLIC, [], "its address is a private network"],
  ["https://10.0.0.1/token", PUBLIC, ["https://10.0.0.1"], "agreed"],
  ["http://127.0.0.1:2/token", LOCAL, [], "no note"],
  ["https://169.254.169.254/", LOCAL, ["https://169.254.169.254"], "metadata address of a cloud"],
  ["https://[fe80::1]/", PUBLIC, ["https://[fe80::1]"], "link-local"],
];
for (const [address, server, named, says] of rows) {
  Deno.test(`origin guard > ${address} is checked for ${server}, named: ${named}`, async () => {
    expect(await answerOf(address, server, named)).toContain(says);
  });
}

Deno.test("origin guard > a refusal also refuses all later requests", async () => {
  const guard = new OriginGuard({
    ...{ server: "it", url: LOCAL, named: [], signal: new AbortController().signal },
    ask: () => Promise.reject(new Error("no")),
  });
  await expect(guard.admit(new URL("https://9.9.9.9/"))).rejects.toThrow("no");
  await expect(guard.admit(new URL(LOCAL))).rejects.toThrow("no");
});
