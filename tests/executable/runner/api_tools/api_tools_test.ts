/** Tools of OpenAPI documents that the executable adds and calls, against a real HTTP server. */
import { expect } from "@std/expect";
import { oneLine, type Result, temporaryDirectory, toolcall } from "../../../support/executable.ts";

type Json = Record<string, unknown>;

const string = { type: "string" };

/** A parameter. */
const parameter = (name: string, location: string, others: Json = {}) => ({
  ...{ name, in: location, schema: string },
  ...(location === "path" && { required: true }),
  ...others,
});

/** An operation with these parameters. */
const operation = (
  operationId: string | undefined,
  parameters: Json[] = [],
  others: Json = {},
) => ({
  ...(operationId !== undefined && { operationId }),
  ...{ parameters, responses: {}, ...others },
});

const list = { type: "array", items: { type: "integer" } };
const map = { type: "object", additionalProperties: string };

const json = (schema: Json) => ({ requestBody: { content: { "application/json": { schema } } } });

/** A document with all forms of operations. */
const document = (server: string, version = "3.0.3"): Json => ({
  openapi: version,
  info: { title: "Shop API", version: "1" },
  servers: [{ url: `${server}/{base}`, variables: { base: { default: "v1" } } }],
  paths: {
    "/items": {
      get: operation("listItems", [
        parameter("ids", "query", { schema: list }),
        parameter("csv", "query", { schema: list, explode: false }),
        parameter("pipes", "query", { schema: list, style: "pipeDelimited", explode: false }),
        parameter("spaces", "query", { schema: list, style: "spaceDelimited", explode: false }),
        parameter("deep", "query", { schema: map, style: "deepObject" }),
        parameter("flat", "query", { schema: map }),
        parameter("packed", "query", { schema: map, explode: false }),
        parameter("filter", "query", {
          schema: undefined,
          content: { "application/json": { schema: map } },
        }),
        parameter("q", "query"),
      ]),
      post: operation("createItem", [], {
        ...json({ $ref: "#/components/schemas/Item" }),
        summary: "Create an item",
      }),
      put: operation("replaceItems", [], json({ type: "array", items: string })),
      patch: operation("patchItems", [], {
        requestBody: {
          required: true,
          content: { "application/merge-patch+json": { schema: { type: "object" } } },
        },
      }),
      head: operation("headItems"),
      options: operation("optionsItems"),
      delete: operation("deleteItems"),
    },
    "/items/{id}": {
      parameters: [parameter("id", "path"), parameter("trace", "header")],
      get: operation("getItem", [{ $ref: "#/components/parameters/Language" }]),
      put: operation("getItem", [parameter("id", "query"), parameter("body", "query")], json(map)),
      delete: operation(undefined),
    },
    "/items/{id}/files/{name}.json": {
      get: operation("getFile", [parameter("id", "path"), parameter("name", "path")]),
    },
    "/lists/{ids}": { get: operation("getLists", [parameter("ids", "path", { schema: list })]) },
    "/maps/{map}": { get: operation("getMap", [parameter("map", "path", { schema: map })]) },
    "/form": {
      post: operation("sendForm", [], {
        requestBody: { content: { "application/x-www-form-urlencoded": { schema: map } } },
      }),
    },
    "/text": {
      post: operation("sendText", [], {
        requestBody: { content: { "text/plain": { schema: string } } },
      }),
    },
    "/cookie": { get: operation("cookie", [parameter("c", "cookie"), parameter("d", "cookie")]) },
    "/header": {
      get: operation("header", [
        parameter("X-One", "header"),
        parameter("Authorization", "header"),
        parameter("X-List", "header", { schema: list }),
      ]),
    },
    "/upload": {
      post: operation("upload", [], {
        requestBody: { content: { "multipart/form-data": { schema: map } } },
      }),
    },
    "/secure/bearer": { get: operation("bearer", [], { security: [{ token: [] }] }) },
    "/secure/basic": { get: operation("basic", [], { security: [{ basic: [] }] }) },
    "/secure/query": { get: operation("byQuery", [], { security: [{ key: [] }] }) },
    "/secure/cookie": { get: operation("byCookie", [], { security: [{ session: [] }] }) },
    "/secure/both": { get: operation("both", [], { security: [{ token: [], key: [] }] }) },
    "/secure/digest": { get: operation("digest", [], { security: [{ digest: [] }] }) },
    "/secure/optional": { get: operation("free", [], { security: [{}] }) },
    "/elsewhere": { get: operation("elsewhere", [], { servers: [{ url: "http://other.test/" }] }) },
    "/v2": { get: operation("newer", [], { servers: [{ url: `${server}/v2` }] }) },
    "/status/{code}": { get: operation("status", [parameter("code", "path")]) },
    "/foreign": { get: operation("foreign", [{ $ref: "other.json#/x" }]) },
    "/long": { get: operation("l".repeat(100)) },
    "/long2": { get: operation("l".repeat(100)) },
  },
  components: {
    parameters: { Language: parameter("Accept-Language", "header") },
    schemas: {
      Item: {
        type: "object",
        required: ["name"],
        properties: {
          name: string,
          price: { type: "number", minimum: 0, exclusiveMinimum: true },
          note: { type: "string", nullable: true },
          parts: { type: "array", items: { $ref: "#/components/schemas/Item" } },
        },
      },
    },
    securitySchemes: {
      token: { type: "http", scheme: "bearer" },
      basic: { type: "http", scheme: "basic" },
      digest: { type: "http", scheme: "digest" },
      key: { type: "apiKey", in: "query", name: "key" },
      session: { type: "apiKey", in: "cookie", name: "sid" },
    },
  },
});

const TOKENS = {
  SHOP_TOKEN: "t0ken",
  SHOP_BASIC: "me:pass",
  SHOP_KEY: "k&y",
  SHOP_SESSION: "s;1",
};

/** A server that answers with its request, or with the status in the path. */
function echoServer() {
  const requests: string[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const { pathname, search } = new URL(request.url);
    requests.push(`${request.method} ${pathname}${search}`);
    const [, code] = pathname.match(/\/status\/(\d+)$/) ?? [];
    if (code === "204") return new Response(null, { status: 204 });
    if (code === "302") {
      const location = new URL("/stolen", request.url).href;
      return new Response(null, { status: 302, headers: { location } });
    }
    if (code === "418") return new Response("short and stout\u001b[31m", { status: 418 });
    if (code === "500") return new Response("x".repeat(10_000), { status: 500 });
    if (code === "200") return new Response("y".repeat(2_000_000));
    if (code !== undefined) {
      return Response.json({ error: { message: `failed with ${code}` } }, { status: Number(code) });
    }
    const names = ["authorization", "cookie", "x-one", "x-list", "content-type", "accept-language"];
    return Response.json({
      asked: `${request.method} ${pathname}${search}`,
      headers: Object.fromEntries(names.flatMap((name) => {
        const value = request.headers.get(name);
        return value === null ? [] : [[name, value]];
      })),
      body: await request.text(),
    });
  });
  return {
    requests,
    host: `127.0.0.1:${server.addr.port}`,
    url: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** A project with the files, and functions that run the executable in it. */
function project(files: Record<string, string>) {
  const directory = temporaryDirectory();
  for (const [name, text] of Object.entries(files)) {
    Deno.writeTextFileSync(`${directory.path}/${name}`, text);
  }
  const run = (args: string[], stdin = "") =>
    toolcall(args, {
      cwd: directory.path,
      env: { XDG_CONFIG_HOME: `${directory.path}/home`, ...TOKENS },
      stdin,
    });
  return {
    path: directory.path,
    run,
    async call(name: string, args: unknown, flags: string[]): Promise<Result> {
      return oneLine(await run(flags, JSON.stringify({ name, arguments: args }))) as Result;
    },
    /** Makes calls one after the other in one process. */
    async calls(calls: readonly (readonly [name: string, args: unknown])[], flags: string[]) {
      const lines = calls.map(([name, args]) => `${JSON.stringify({ name, arguments: args })}\n`);
      const { stdout } = await run(["submit", "--jobs=1", "--ordered", ...flags], lines.join(""));
      const results = stdout.split("\n").slice(0, -1).map((line) => JSON.parse(line) as Result);
      expect(results.length).toBe(calls.length);
      return results;
    },
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

/** The text of a result, and the code before it if the call failed. */
function outcome({ content, isError, _meta }: Result): string {
  const text = content.map((block) => block.text).join();
  return isError ? `${(_meta?.["toolcall/error"] as Json | undefined)?.["code"]}: ${text}` : text;
}

Deno.test("toolcall add > the command prints the tools and permissions of a document, and --yes adds them", async () => {
  await using server = echoServer();
  using here = project({ "shop.json": JSON.stringify(document(server.url)) });
  const shown = await here.run(["add", "shop.json"]);
  expect(shown.code).toBe(1);
  expect(shown.stderr).toContain("--yes");
  expect(shown.stdout).toContain(`--allow-net=${server.host}, and no other host`);
  expect(shown.stdout).toContain("SHOP_TOKEN");
  for (
    const line of [
      "shop_list_items  GET /items",
      "shop_delete_items_by_id  DELETE /items/{id}",
      "shop_get_item_2  PUT /items/{id}",
      'Omitted POST /upload: a body of the type "multipart/form-data" cannot be written',
      "Omitted GET /elsewhere: the operation names another server",
      'Omitted GET /foreign: the reference "other.json#/x" leads to another document',
      "Without a credential: shop_digest",
    ]
  ) expect(shown.stdout).toContain(line);
  expect([...Deno.readDirSync(here.path)].map(({ name }) => name)).toEqual(["shop.json"]);

  expect((await here.run(["add", "shop.json", "--yes"])).code).toBe(0);
  const again = await here.run(["add", "shop.json", "--yes"]);
  expect(again.code).toBe(2);
  expect(again.stderr).toContain("has it already");
  const { stdout } = await here.run(["list", "--format=mcp"]);
  const names = JSON.parse(stdout) as { tools?: { name: string }[] } & { name: string }[];
  const tools = (names.tools ?? names).map(({ name }) => name).filter((name) =>
    name.startsWith("shop_")
  );
  expect(tools.length).toBe(28);
  expect(new Set(tools).size).toBe(28);
  expect((await here.run(["config", "check"])).stdout).toContain("ok");
  // The flags that disable tools apply to API tools too.
  expect((await here.call("shop_list_items", {}, ["-N", "--no-tools=shop_*"])).isError).toBe(true);
  expect((await here.run(["grammar", "shop_get_item"])).stdout).toContain("shop_get_item");
});

Deno.test("api tools > a call sends each argument where its parameter belongs, and nothing else", async () => {
  await using server = echoServer();
  using here = project({ "shop.json": JSON.stringify(document(server.url)) });
  await here.run(["add", "shop.json", "--yes"]);
  const flags = [`--allow-net=${server.host}`];
  type Echo = { asked?: string; headers?: Record<string, string>; body?: string };
  const table: readonly (readonly [tool: string, args: unknown, expected: Echo])[] = [
    ["list_items", {}, { asked: "GET /v1/items", body: "" }],
    ["list_items", { ids: [1, 2], q: "a b&c=d#e" }, {
      asked: "GET /v1/items?ids=1&ids=2&q=a%20b%26c%3Dd%23e",
    }],
    ["list_items", { csv: [1, 2], pipes: [3, 4], spaces: [5, 6] }, {
      asked: "GET /v1/items?csv=1,2&pipes=3%7C4&spaces=5%206",
    }],
    ["list_items", {
      deep: { "a[": "&" },
      flat: { x: "1" },
      packed: { y: "2" },
      filter: { z: "3" },
    }, {
      asked: "GET /v1/items?deep%5Ba%5B%5D=%26&x=1&y,2&filter=%7B%22z%22%3A%223%22%7D"
        .replace("&y,2", "&packed=y,2"),
    }],
    ["create_item", { body: { name: "a", note: null, parts: [{ name: "b", price: 0.5 }] } }, {
      asked: "POST /v1/items",
      headers: { "content-type": "application/json" },
      body: '{"name":"a","note":null,"parts":[{"name":"b","price":0.5}]}',
    }],
    ["replace_items", { body: ["a"] }, { body: '["a"]' }],
    ["patch_items", { body: {} }, { headers: { "content-type": "application/merge-patch+json" } }],
    ["delete_items", {}, { asked: "DELETE /v1/items", body: "" }],
    ["get_item", { id: "a/b?c#d", "Accept-Language": "de" }, {
      asked: "GET /v1/items/a%2Fb%3Fc%23d",
      headers: { "accept-language": "de" },
    }],
    ["get_item_2", { id: "p", id_query: "q", body: "r", body_request: { s: "t" } }, {
      asked: "PUT /v1/items/p?id=q&body=r",
      body: '{"s":"t"}',
    }],
    ["get_file", { id: "1", name: "n" }, { asked: "GET /v1/items/1/files/n.json" }],
    ["get_lists", { ids: [1, 2] }, { asked: "GET /v1/lists/1,2" }],
    ["get_map", { map: { a: "b" } }, { asked: "GET /v1/maps/a,b" }],
    ["send_form", { body: { a: "b&c", "d=": "ä" } }, {
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: "a=b%26c&d%3D=%C3%A4",
    }],
    ["send_text", { body: "plain" }, { headers: { "content-type": "text/plain" }, body: "plain" }],
    ["cookie", { c: "1; admin=1", d: "2" }, { headers: { cookie: "c=1%3B%20admin%3D1; d=2" } }],
    ["header", { "X-One": "1", "X-List": [1, 2] }, { headers: { "x-one": "1", "x-list": "1,2" } }],
    ["bearer", {}, { headers: { authorization: "Bearer t0ken" } }],
    ["basic", {}, { headers: { authorization: `Basic ${btoa("me:pass")}` } }],
    ["by_query", {}, { asked: "GET /v1/secure/query?key=k%26y", headers: {} }],
    ["by_cookie", {}, { headers: { cookie: "sid=s%3B1" } }],
    ["both", {}, {
      asked: "GET /v1/secure/both?key=k%26y",
      headers: { authorization: "Bearer t0ken" },
    }],
    ["digest", {}, { headers: {} }],
    ["free", {}, { headers: {} }],
    ["newer", {}, { asked: "GET /v2/v2" }],
  ];
  const results = await here.calls(table.map(([tool, args]) => [`shop_${tool}`, args]), flags);
  for (const [at, [tool, , expected]] of table.entries()) {
    const result = results[at]!;
    expect({ tool, text: outcome(result).slice(0, 8) }).toEqual({ tool, text: "HTTP 200" });
    const { body } = result.structuredContent as { body: Json };
    const asked = Object.fromEntries(Object.keys(expected).map((key) => [key, body[key]]));
    expect({ tool, ...asked }).toEqual({ tool, ...expected });
  }
});

Deno.test("api tools > a hostile value changes no other part of the request", async () => {
  await using server = echoServer();
  using here = project({ "shop.json": JSON.stringify(document(server.url)) });
  await here.run(["add", "shop.json", "--yes"]);
  const flags = [`--allow-net=${server.host}`];
  const refused: readonly (readonly [tool: string, args: unknown])[] = [
    ...["..", ".", "../x", "x/..", "a\\..\\b", "", "./x"].map((id) =>
      ["get_item", { id }] as const
    ),
    ["get_lists", { ids: [".."] }],
    ["header", { "X-One": "1\r\nx-evil: 1" }],
    ["header", { "X-One": "1\n" }],
    ["header", { "X-One": "\0" }],
    ["header", { "X-One": "€" }],
    ["header", { Authorization: "Bearer x" }],
    ["get_item", { id: "1", host: "evil.test" }],
    ["create_item", { body: { name: "a", price: 0 } }],
    ["create_item", { body: { name: "a", parts: [{}] } }],
  ];
  const refusals = await here.calls(refused.map(([tool, args]) => [`shop_${tool}`, args]), flags);
  for (const [at, [, args]] of refused.entries()) {
    expect(`${JSON.stringify(args)} ${outcome(refusals[at]!)}`).toMatch(
      /^\{.*\} invalid_arguments: /,
    );
  }
  expect(server.requests).toEqual([]);
  const kept: readonly (readonly [id: string, path: string])[] = [
    ["//evil.test/x", "/v1/items/%2F%2Fevil.test%2Fx"],
    ["@evil.test", "/v1/items/%40evil.test"],
    ["%2e%2e", "/v1/items/%252e%252e"],
    ["{name}", "/v1/items/%7Bname%7D"],
    ["a\r\nb", "/v1/items/a%0D%0Ab"],
  ];
  const answers = await here.calls(kept.map(([id]) => ["shop_get_item", { id }]), flags);
  expect(answers.filter(({ isError }) => isError)).toEqual([]);
  expect(server.requests).toEqual(kept.map(([, path]) => `GET ${path}`));
});

Deno.test("api tools > a call needs permission for its host, and a private host must be named", async () => {
  await using server = echoServer();
  using here = project({ "shop.json": JSON.stringify(document(server.url, "3.1.0")) });
  await here.run(["add", "shop.json", "--yes"]);
  const table: readonly (readonly [flags: string[], expected: RegExp])[] = [
    [[], /^permission_denied: .*--allow-net=127\.0\.0\.1/],
    [["--allow-net"], /^permission_denied: .*explicitly/],
    [["-A"], /^permission_denied: .*explicitly/],
    [["--allow-net=127.0.0.1:1"], /^permission_denied/],
    [[`--allow-net=${server.host}`, "--deny-net=127.0.0.0/8"], /^permission_denied/],
    [["--allow-net=127.0.0.1"], /^HTTP 200/],
  ];
  for (const [flags, expected] of table) {
    expect(outcome(await here.call("shop_get_item", { id: "1" }, flags))).toMatch(expected);
  }
  const writable = ["--allow-net=127.0.0.1", "--allow-write=."];
  expect(outcome(await here.call("shop_get_item", { id: "1" }, writable))).toMatch(/^HTTP 200/);
  expect(outcome(
    await here.call("fs.write", { path: "toolcall/apis/shop.json", content: "{}" }, writable),
  )).toMatch(/^permission_denied/);
  const programs = [...writable, "--allow-run"];
  expect(outcome(await here.call("shop_get_item", { id: "1" }, programs))).toMatch(
    /^unavailable: /,
  );
});

Deno.test("api tools > a call fails with the error of the API", async () => {
  await using server = echoServer();
  using here = project({ "shop.json": JSON.stringify(document(server.url)) });
  await here.run(["add", "shop.json", "--yes"]);
  const flags = [`--allow-net=${server.host}`];
  const table: readonly (readonly [code: string, expected: RegExp])[] = [
    ["404", /^tool_failed: HTTP 404: failed with 404$/],
    ["429", /^tool_failed: HTTP 429: failed with 429$/],
    ["418", /^tool_failed: HTTP 418: short and stout\\u001b\[31m$/],
    ["500", /^tool_failed: HTTP 500: x{2000}$/],
    [
      "302",
      /^tool_failed: HTTP 302: the API redirects to "http:.*\/stolen", which is not followed$/,
    ],
    ["204", /^HTTP 204\n\(no content\)$/],
    ["200", /^HTTP 200\ny{100000}\n\[The rest of the answer is omitted\]$/],
  ];
  const results = await here.calls(table.map(([code]) => ["shop_status", { code }]), flags);
  for (const [at, [, expected]] of table.entries()) expect(outcome(results[at]!)).toMatch(expected);
  expect(server.requests.filter((each) => each.includes("stolen"))).toEqual([]);
});

Deno.test("api tools > a call fails with advice when its document has changed", async () => {
  await using server = echoServer();
  using here = project({ "shop.json": JSON.stringify(document(server.url)) });
  expect((await here.run(["add", "shop.json", "--yes"])).code).toBe(0);
  const config = JSON.parse(Deno.readTextFileSync(`${here.path}/toolcall.json`));
  const stored = `${here.path}/${config.apis.shop.document}`;
  const changed: readonly (readonly [content: string, why: string])[] = [
    [JSON.stringify({ ...document(server.url), paths: {} }), 'it has no operation "GET /items"'],
    ["{", "JSON"],
    ["[]", "the document"],
  ];
  for (const [content, why] of changed) {
    Deno.writeTextFileSync(stored, content);
    const text = outcome(await here.call("shop_list_items", {}, ["-N"]));
    expect(text).toMatch(/^unavailable: Cannot use the document /);
    expect(text).toContain(why);
    expect(text).toContain("add the API again");
  }
});

Deno.test("toolcall add > an unusable document is refused, and a large document is added", async () => {
  const loop = { $ref: "#/components/schemas/Loop" };
  const base = { openapi: "3.0.0", info: { title: "x" }, servers: [{ url: "http://api.test/" }] };
  const many = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, index) => [`/p${index}`, { get: operation(`op${index}`) }]),
  );
  const bomb = "a: &a [x, x]\n" + Array.from({ length: 30 }, (_, index) => {
    const [name, before] = [`b${index}`, index === 0 ? "a" : `b${index - 1}`];
    return `${name}: &${name} [*${before}, *${before}]`;
  }).join("\n") + "\nopenapi: 3.0.0";
  using here = project({
    "swagger.json": '{"swagger":"2.0","paths":{}}',
    "empty.json": JSON.stringify({ ...base, paths: {} }),
    "noserver.json": JSON.stringify({ ...base, servers: undefined, paths: many }),
    "file.json": JSON.stringify({ ...base, servers: [{ url: "file:///etc/passwd" }], paths: many }),
    "secret.json": JSON.stringify({
      ...base,
      servers: [{ url: "http://a:b@api.test/" }],
      paths: many,
    }),
    "circle.json": JSON.stringify({
      ...base,
      paths: { "/x": { get: operation("x", [loop]) } },
      components: { schemas: { Loop: loop } },
    }),
    "other.json": "[1]",
    "broken.json": "{",
    "bomb.yaml": bomb,
    "many.json": JSON.stringify({ ...base, paths: many }),
    "recursive.yaml": `openapi: 3.1.0
info: {title: Tree}
servers: [{url: "https://tree.test"}]
paths:
  /t:
    post:
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/T"}}}}
components: {schemas: {T: {type: object, properties: {left: {$ref: "#/components/schemas/T"}}}}}`,
  });
  const refused: readonly (readonly [file: string, why: RegExp])[] = [
    ["swagger.json", /convert it to OpenAPI 3/],
    ["empty.json", /no operation/],
    ["noserver.json", /--server=URL/],
    ["file.json", /--server=URL/],
    ["secret.json", /--server=URL/],
    ["circle.json", /no operation/],
    ["other.json", /no OpenAPI document, no command tool/],
    ["broken.json", /Cannot read "broken.json"/],
    ["bomb.yaml", /repeat too much/],
    ["missing.json", /Cannot read "missing.json"/],
  ];
  for (const [file, why] of refused) {
    const { code, stderr, stdout } = await here.run(["add", file, "--yes"]);
    expect({ file, code, stdout }).toEqual({ file, code: 1, stdout: "" });
    expect(stderr).toMatch(why);
  }
  expect((await here.run(["add", "noserver.json", "n", "--server=http://api.test", "--yes"])).code)
    .toBe(0);
  expect((await here.run(["add", "many.json", "--yes"])).stdout).toContain("1,000 tools");
  expect((await here.run(["add", "recursive.yaml", "--yes"])).code).toBe(0);
  const deep = { body: { left: { left: { left: 1 } } } };
  expect(outcome(await here.call("tree_post_t", deep, ["-N"]))).toMatch(/\/body\/left\/left\/left/);
  expect((await here.run(["describe", "x_op999"])).stdout).toContain("GET /p999");
});

Deno.test("toolcall add > a document can come from a server, and a command tool from a file", async () => {
  let text = "";
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    ({ url }) =>
      new Response(url.endsWith("/api/openapi.json") ? text : null, { status: text ? 200 : 500 }),
  );
  const address = `http://127.0.0.1:${server.addr.port}`;
  text = JSON.stringify({
    ...{ openapi: "3.1.0", info: { title: "Relative" }, servers: [{ url: "../v3" }] },
    paths: { "/x": { get: operation("x") } },
  });
  using here = project({
    "count.json": JSON.stringify({
      ...{ description: "Counts lines.", run: ["wc", "-l", "--", "{path}"] },
      needs: { read: ["{path}"] },
      inputSchema: { type: "object", properties: { path: string }, required: ["path"] },
    }),
    "bad.json": JSON.stringify({
      ...{ description: "Bad.", run: ["{path}"] },
      inputSchema: { type: "object", properties: { path: string } },
    }),
  });
  try {
    expect((await here.run(["add", `${address}/api/openapi.json`, "--yes"])).stdout)
      .toContain(`--allow-net=127.0.0.1:${server.addr.port}`);
    const config = JSON.parse(Deno.readTextFileSync(`${here.path}/toolcall.json`));
    expect(config.apis.relative.server).toBe(`${address}/v3`);
  } finally {
    await server.shutdown();
  }
  const shown = await here.run(["add", "count.json"]);
  expect(shown.stdout).toContain("Permissions: --allow-run=wc --allow-read={path}");
  expect(shown.code).toBe(1);
  expect((await here.run(["add", "count.json", "lines", "--yes"])).code).toBe(0);
  const counted = await here.call("lines", { path: "count.json" }, ["-R", "--allow-run=wc"]);
  expect(outcome(counted)).toContain("count.json");
  expect((await here.run(["add", "count.json", "Read", "--yes"])).code).toBe(2);
  const bad = await here.run(["add", "bad.json", "--yes"]);
  expect(bad.code).toBe(1);
  expect(bad.stderr).toContain("the program must be fixed");
});
