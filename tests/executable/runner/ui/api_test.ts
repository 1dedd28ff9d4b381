/** The API of the page: its security, and that permissions can only become narrower. */
// tier: machine
import { expect } from "@std/expect";
import { connect } from "node:net";
import { startPage } from "../../../support/ui_page.ts";
import { temporaryDirectory } from "../../../support/temporary_directory.ts";

const check = (name: string, args: unknown, flags?: string[]) => ({
  method: "POST",
  body: JSON.stringify({ name, arguments: args, ...(flags && { flags }) }),
});

/** The status of a request with exactly these header lines. */
function rawStatus(origin: string, lines: string[]): Promise<number> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write([...lines, "Connection: close", "", ""].join("\r\n"));
    });
    let text = "";
    socket.on("data", (data) => text += data);
    socket.on("end", () => resolve(Number(text.split(" ")[1])));
    socket.on("error", reject);
  });
}

Deno.test("page > a request without the right token, host or origin is refused", async () => {
  await using server = await startPage(["--allow-read=."]);
  const { origin, token } = server;
  const host = new URL(origin).host;
  const right = `Authorization: Bearer ${token}`;
  const rows: [lines: string[], status: number][] = [
    [[`Host: ${host}`, right], 200],
    [[`Host: ${host}`, right, `Origin: ${origin}`], 200],
    [[`Host: ${host}`], 401],
    [[`Host: ${host}`, "Authorization: Bearer wrong"], 401],
    [[`Host: ${host}`, `Cookie: token=${token}`], 401],
    [["Host: attacker.example", right], 403],
    [["Host: 127.0.0.1", right], 403],
    [["Host: 127.0.0.1:1", right], 403],
    [[`Host: ${host}`, right, "Origin: http://attacker.example"], 403],
    [[`Host: ${host}`, right, "Origin: null"], 403],
    [[`Host: ${host}`, right, "Origin: http://127.0.0.1:1"], 403],
  ];
  for (const [lines, status] of rows) {
    const found = await rawStatus(origin, ["GET /api/state HTTP/1.1", ...lines]);
    expect({ lines, status: found }).toEqual({ lines, status });
  }
  expect(await rawStatus(origin, [`GET /api/state?token=${token} HTTP/1.1`, `Host: ${host}`]))
    .toBe(401);
});

Deno.test("page > every response has the content security policy", async () => {
  await using server = await startPage([]);
  for (const path of ["/", "/app.js", "/app.css", "/api/state", "/missing"]) {
    const response = await fetch(server.origin + path);
    await response.body?.cancel();
    expect(response.headers.get("content-security-policy")).toContain("default-src 'self'");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
  }
});

Deno.test("page > all files of the page have at most 80 KiB after gzip", async () => {
  await using server = await startPage([]);
  let size = 0;
  for (const path of ["/", "/app.js", "/app.css"]) {
    const { body } = await fetch(server.origin + path);
    const packed = body!.pipeThrough(new CompressionStream("gzip"));
    size += (await new Response(packed).arrayBuffer()).byteLength;
  }
  expect(size).toBeGreaterThan(10_000);
  expect(size).toBeLessThanOrEqual(80 * 1024);
});

Deno.test("page > flags can be narrowed and never widened", async () => {
  using root = temporaryDirectory();
  Deno.mkdirSync(`${root.path}/in/.git/hooks`, { recursive: true });
  await using server = await startPage([
    ...[`--root=${root.path}`, `--allow-read=${root.path}/in`, `--allow-write=${root.path}/in`],
    ...[`--deny-read=${root.path}/in/secret`, "--allow-net", "--allow-run=ls"],
  ]);
  const call = (flags?: string[]) =>
    server.api("check", check("Read", { file_path: `${root.path}/in/a` }, flags));
  expect((await (await call()).json()).granted).toBe(true);
  expect((await (await call([])).json()).granted).toBe(false);
  expect((await (await call([`--allow-read=${root.path}/in/a`])).json()).granted).toBe(true);
  const wider = [
    ...["-A", "--allow-read", "--allow-read=/", `--allow-read=${root.path}`, "--allow-read=/etc"],
    ...[`--allow-read=${root.path}/in/secret`, "--allow-write", "--allow-write=/tmp"],
    ...[`--allow-write=${root.path}/in/.git/hooks`, "--allow-run", "--allow-run=bash"],
    ...["--allow-env", "--allow-env=HOME", "--allow-sys", "--allow-mcp", "--allow-net=127.0.0.1"],
    ...["--unconfined-run", "--root=/", "--audit=/tmp/x", "-P", "--config=/x", "word"],
  ];
  for (const flag of wider) {
    for (const path of ["check", "call"]) {
      const request = check("Read", { file_path: `${root.path}/in/a` }, [flag]);
      const response = await server.api(path, request);
      const text = await response.text();
      expect({ flag, path, status: response.status, text }).toMatchObject({
        flag,
        path,
        status: 400,
      });
    }
  }
  // A narrower set keeps what the server denies.
  const secret = await server.api(
    "check",
    check("Read", { file_path: `${root.path}/in/secret` }, [`--allow-read=${root.path}/in`]),
  );
  expect((await secret.json()).granted).toBe(false);
});

Deno.test("page > no call runs with --read-only", async () => {
  await using server = await startPage(["-A", "--read-only"]);
  const response = await server.api("call", check("Bash", { command: "true" }));
  expect(response.status).toBe(403);
  expect((await response.json()).error).toContain("--read-only");
});

Deno.test("page > a call with a network grant to loopback cannot use the API", async () => {
  await using server = await startPage(["--allow-run=bash,cat,grep,env", "--allow-net=127.0.0.1"]);
  const port = new URL(server.origin).port;
  const command =
    `env; cat /proc/*/environ /proc/*/cmdline 2>/dev/null; exec 3<>/dev/tcp/127.0.0.1/${port} && ` +
    `printf 'GET /api/state HTTP/1.0\\r\\nHost: 127.0.0.1:${port}\\r\\n\\r\\n' >&3 && cat <&3`;
  const response = await server.api("call", check("Bash", { command }));
  const text = await response.text();
  expect(text).toContain("event: result");
  expect(text).not.toContain(server.token);
  expect(text).not.toContain('\\"ceiling\\"');
});

Deno.test("page > the MCP server has the page, and its API needs the token", async () => {
  await using server = await startPage(["--allow-read=."], ["mcp", "--http=127.0.0.1:0"]);
  const page = await fetch(server.origin + "/");
  expect(await page.text()).toContain("<title>toolcall</title>");
  const refused = await fetch(server.origin + "/api/state");
  await refused.body?.cancel();
  expect(refused.status).toBe(401);
  expect((await (await server.api("state")).json()).ceiling).toEqual(["--allow-read=."]);
});
