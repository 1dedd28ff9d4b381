/** Each request over MCP is answered with its id, as the client wrote it. */
import { expect } from "@std/expect";
import { temporaryDirectory, toolcall } from "../../support/executable.ts";
import { modernParams } from "../../support/mcp/modern.ts";
import { initialize } from "../../support/mcp/peer.ts";
import {
  duplicateArguments,
  idDialects,
  idsIn,
  idTexts,
  inexactArguments,
  LARGE,
} from "../../executable/runner/dialect/call_ids.ts";
import { restoreNumberIds } from "../../../src/runner/mcp/server/number_ids.ts";
import { parseMessages } from "../../../src/runner/mcp/server/request_errors.ts";
import { post, served, session } from "./http_client.ts";

const { write } = idDialects.find(({ name }) => name === "json-rpc")!;

/** Requests with every id, and with every kind of bad arguments. The ids differ. */
const requests = [
  ...idTexts.map((id) => ({ id, line: write([{ id, args: "{}" }]) })),
  ...[...inexactArguments, ...duplicateArguments].map((args, place) => {
    const id = `"bad ${place}"`;
    return { id, line: write([{ id, args }]) };
  }),
];

Deno.test("request ids > stdio answers each id, as it was written", async () => {
  using directory = temporaryDirectory();
  const begun = [initialize, { jsonrpc: "2.0", method: "notifications/initialized" }];
  const lines = [...begun.map((each) => JSON.stringify(each)), ...requests.map(({ line }) => line)];
  const { stdout } = await toolcall(["mcp", "-A", `--state-dir=${directory.path}`], {
    stdin: lines.map((line) => `${line}\n`).join(""),
    cwd: directory.path,
  });
  const answers = stdout.trimEnd().split("\n").filter((line) => !line.includes('"method"'));
  const ids = answers.slice(1).flatMap((line) => idsIn(line, "id"));
  expect(ids.sort()).toEqual(requests.map(({ id }) => id).sort());
});

Deno.test("request ids > HTTP answers each id, as it was written, with a session and without", async () => {
  await using server = await served();
  const headers = await session(server.url);
  for (const { id, line } of requests) {
    const modern = JSON.stringify({ ...modernParams({}) }).slice(1, -1);
    const rows: [line: string, headers: Record<string, string>][] = [
      [line, headers],
      [line.replace('"params":{', `"params":{${modern},`), {
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "fs.list",
      }],
    ];
    for (const [body, more] of rows) {
      const text = await (await post(server.url, body, more)).text();
      const answers = text.split("\n").filter((each) => each.includes("jsonrpc"))
        .filter((each) => !each.includes('"method"'));
      expect({ body, ids: answers.flatMap((each) => idsIn(each, "id")) })
        .toEqual({ body, ids: [id] });
    }
  }
});

Deno.test("request ids > a request that is cancelled by such an id has no answer", async () => {
  using directory = temporaryDirectory();
  const lines = [
    JSON.stringify(initialize),
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    `{"jsonrpc":"2.0","id":${LARGE},"method":"tools/call","params":{"name":"Bash",` +
    '"arguments":{"command":"sleep 1000"}}}',
    `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${LARGE}}}`,
  ];
  const { stdout } = await toolcall(["mcp", "-A", `--state-dir=${directory.path}`], {
    stdin: lines.map((line) => `${line}\n`).join(""),
    cwd: directory.path,
  });
  expect(stdout).not.toContain(LARGE);
});

Deno.test("request ids > a progress token is hidden from the SDK and restored for the client", () => {
  const text =
    `{"id":${LARGE},"params":{"requestId":-${LARGE},"_meta":{"progressToken":${LARGE}}}}`;
  const { value } = parseMessages(text);
  const { params } = value as { params: { requestId: unknown; _meta: { progressToken: unknown } } };
  expect([params.requestId, params._meta.progressToken].map((id) => typeof id))
    .toEqual(["string", "string"]);
  const { progressToken } = params._meta;
  const progress = JSON.stringify({ method: "notifications/progress", params: { progressToken } });
  expect(restoreNumberIds(progress)).toContain(`"progressToken":${LARGE}}`);
  expect(restoreNumberIds(JSON.stringify(value))).toBe(text);
});
