import { expect } from "@std/expect";
import { parseServer } from "../../../../../src/runner/mcp/client/server_config.ts";

const SECRET = "plain-secret-text";

const faults: [oauth: unknown, says: string, more?: Record<string, unknown>][] = [
  [[], '"oauth" must be an object'],
  [{ clientSecrt: SECRET }, 'has no key "clientSecrt"; did you mean "clientSecret"?'],
  [{ clientSecret: SECRET }, '"oauth" needs "clientId"'],
  [{ clientId: "a", clientSecret: SECRET, privateKeyFile: "b" }, "and not both"],
  [{ clientId: "a", clientSecret: SECRET, clientSecretFile: "b" }, "and not both"],
  [{ grant: "client_credentials", clientId: "a" }, 'needs "clientSecret" or "privateKeyFile"'],
  [{ grant: "password" }, '"grant" must be authorization_code or client_credentials'],
  [{ clientId: "a", clientSecret: "${NOT_SET}" }, "NOT_SET is not set"],
  [{ issuer: "http://login.example.com" }, '"issuer" must be an address that starts with https'],
  [{ tokenEndpoint: `https://u:${SECRET}@a.example/` }, '"tokenEndpoint" must be an address'],
  [{ clientMetadataUrl: "https://a.example/" }, "must be an https address with a path"],
  [{ callbackPort: 0 }, '"callbackPort" must be a port from 1 to 65535'],
  [{ algorithm: "none" }, '"algorithm" must be RS256'],
  [{}, "cannot be combined with the header Authorization", { headers: { authorization: "x" } }],
];
for (const [oauth, says, more] of faults) {
  Deno.test(`oauth config > ${JSON.stringify(oauth)} is refused`, () => {
    const entry = { url: "https://mcp.example.com/mcp", oauth, ...more };
    let message = "";
    try {
      parseServer("it", entry, {});
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toContain(says);
    expect(message).not.toContain(SECRET);
  });
}

Deno.test("oauth config > a server with a command is refused, and a secret selects the grant client_credentials", () => {
  expect(() => parseServer("it", { command: "x", oauth: {} }, {})).toThrow(
    '"oauth" cannot be combined with "command"',
  );
  const oauth = { clientId: "a", clientSecret: "${KEY}", issuer: "http://localhost:1" };
  const entry = { url: "https://mcp.example.com/mcp", oauth };
  const server = parseServer("it", entry, { KEY: SECRET })!;
  expect(server.place).toMatchObject({ oauth: { grant: "client_credentials" } });
  expect(server.secrets).toContain(SECRET);
});
