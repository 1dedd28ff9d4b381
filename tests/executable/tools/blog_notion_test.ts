/** Publishing to a server that has the limits of Notion's API and answers as it does. */
import { expect } from "@std/expect";
import { oneLine, type Result, temporaryDirectory, toolcall } from "../../support/executable.ts";

const KEY = "ntn_Kq7/not+a=real!key";
const PARENT = "01234567-89ab-cdef-0123-456789abcdef";

type Json = Record<string, unknown>;

/** The part of a stored block that the tests read. */
interface Kept {
  id: string;
  type: string;
  text: string;
  children: Kept[];
}

/** The server's answer to its n-th request, counted from 1. Undefined stands for the usual one. */
type Answering = (n: number) => Response | undefined | Promise<Response | undefined>;

function failure(status: number, { code, message, headers = {} }: {
  code: string;
  message: string;
  headers?: Record<string, string>;
}): Response {
  return Response.json({ object: "error", status, code, message, request_id: "r" }, {
    status,
    headers,
  });
}

/** A server with the used endpoints, its pages and its requests. */
function startNotion(answer: Answering = () => undefined) {
  const known = new Map<string, Kept>();
  const requests: { method: string; path: string; headers: Headers; body: Json }[] = [];
  const faults: string[] = [];
  let ids = 0;
  const newId = () => `00000000-0000-4000-8000-${String(++ids).padStart(12, "0")}`;
  const invalid = (message: string) => {
    faults.push(message);
    return failure(400, {
      code: "validation_error",
      message: `body failed validation: ${message}`,
    });
  };
  let page: { properties: Json; parent: Json; root: Kept } | undefined;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname } = new URL(request.url);
    const text = await request.text();
    const body = JSON.parse(text) as Json;
    requests.push({ method: request.method, path: pathname, headers: request.headers, body });
    const other = await answer(requests.length);
    if (other !== undefined) return other;
    if (request.headers.get("authorization") !== `Bearer ${KEY}`) {
      return failure(401, { code: "unauthorized", message: "API token is invalid." });
    }
    if (request.headers.get("notion-version") !== "2025-09-03") {
      return failure(400, { code: "missing_version", message: "no Notion-Version" });
    }
    if (text.length > 500_000) return invalid("body is too large");
    const children = (body["children"] ?? []) as Json[];
    const counter = { blocks: 0 };
    let added: Kept[];
    try {
      added = children.map((each) => take(each, { depth: 2, counter, known, newId }));
      if (children.length > 100) throw new Error("body.children.length should be ≤ `100`");
      if (counter.blocks > 1_000) throw new Error("more than 1000 blocks");
    } catch (error) {
      return invalid((error as Error).message);
    }
    if (request.method === "POST" && pathname === "/v1/pages") {
      const id = newId();
      const root = { id, type: "page", text: "", children: added };
      known.set(id, root);
      page = { properties: body["properties"] as Json, parent: body["parent"] as Json, root };
      const url = `https://www.notion.so/${id.replaceAll("-", "")}`;
      return Response.json({ object: "page", id, url, parent: body["parent"] });
    }
    const block = /^\/v1\/blocks\/([0-9a-f-]+)\/children$/.exec(pathname)?.[1];
    const parent = known.get(block ?? "");
    if (request.method !== "PATCH" || parent === undefined) {
      return failure(404, { code: "object_not_found", message: `Could not find ${pathname}` });
    }
    parent.children.push(...added);
    return Response.json({
      object: "list",
      results: added.map(({ id }) => ({ object: "block", id })),
    });
  });
  return {
    host: `127.0.0.1:${server.addr.port}`,
    requests,
    faults,
    page: () => page!,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Stores a block as the API does. Throws for a block that the API refuses. */
function take(
  json: Json,
  { depth, counter, known, newId }: {
    depth: number;
    counter: { blocks: number };
    known: Map<string, Kept>;
    newId: () => string;
  },
): Kept {
  counter.blocks++;
  const type = String(json["type"]);
  const body = json[type] as Json | undefined;
  if (json["object"] !== "block" || body === undefined) throw new Error(`no block: ${type}`);
  const { children = [], rich_text = [], cells = [], caption = [] } = body as Record<
    string,
    Json[]
  >;
  if (children.length > 0 && depth === 0) throw new Error("more than two levels of nesting");
  if (children.length > 100) throw new Error(`${type}.children.length should be ≤ \`100\``);
  if (["divider", "image", "code", "table_row"].includes(type) && children.length > 0) {
    throw new Error(`${type}.children should be not present`);
  }
  if (type === "table") {
    if (children.length === 0) throw new Error("table.children should be defined");
    const width = body["table_width"];
    const isWrong = children.some((row) =>
      ((row["table_row"] as Json)["cells"] as unknown[]).length !== width
    );
    if (isWrong) throw new Error("a row's width is not the table's");
  }
  const texts = [rich_text, caption, ...(cells as unknown as Json[][])];
  let text = "";
  for (const pieces of texts) {
    if (pieces.length > 100) throw new Error("rich_text.length should be ≤ `100`");
    for (const piece of pieces) {
      const { content, link } = piece["text"] as { content: string; link?: { url: string } };
      if (content.length > 2_000) throw new Error("text.content.length should be ≤ `2000`");
      if (link !== undefined && !/^(https?|mailto):/.test(link.url)) {
        throw new Error("Invalid URL for link.");
      }
      text += content;
    }
  }
  const kept: Kept = {
    id: newId(),
    type,
    text,
    children: children.map((each) => take(each, { depth: depth - 1, counter, known, newId })),
  };
  known.set(kept.id, kept);
  return kept;
}

/** Calls that publish to a server. `env` is the environment of a call. */
async function publisher(host: string, settings: Record<string, string> = {}) {
  const directory = temporaryDirectory();
  const state = `--state-dir=${directory.path}/state`;
  const parent = "notion.parent" in settings ? {} : { parent: PARENT };
  for (
    const [setting, value] of Object.entries({ "notion.endpoint": `http://${host}/`, ...settings })
  ) {
    const { code } = await toolcall(["-A", state, "Config", JSON.stringify({ setting, value })]);
    expect(code).toBe(0);
  }
  return {
    async publish(
      args: Record<string, unknown>,
      { env = { NOTION_API_KEY: KEY }, flags = [`--allow-net=${host}`] }: {
        env?: Record<string, string>;
        flags?: string[];
      } = {},
    ) {
      const run = await toolcall([...flags, state, "blog_notion"], {
        env,
        stdin: JSON.stringify({ ...parent, ...args }),
      });
      const result = oneLine(run) as Result;
      expect(run.stdout + run.stderr).not.toContain(KEY);
      const error = result._meta?.["toolcall/error"];
      return { ...result, exit: run.code, text: result.content[0]!.text, error };
    },
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

Deno.test("blog notion > a page is published with its title, its parent and its blocks", async () => {
  await using notion = startNotion();
  using here = await publisher(notion.host, { "notion.parent": PARENT });
  const content = "# Rivers\n\nAll of **them**\n\n- [x] one\n- [ ] two\n\n```zz\n1\n```\n";
  const { exit, text, structuredContent } = await here.publish({ title: "Low water", content });
  const id = notion.page().root.id;
  const url = `https://www.notion.so/${id.replaceAll("-", "")}`;
  const note = 'code in "zz" becomes plain text: Notion does not have that language';
  expect([exit, text]).toEqual([
    0,
    `Published "Low water": ${url}\nIt has 5 blocks\n[Changed: ${note}]`,
  ]);
  expect(structuredContent).toEqual({ url, page_id: id, blocks: 5, notes: [note] });
  const [request] = notion.requests;
  expect(notion.requests.length).toBe(1);
  expect(request!.headers.get("content-type")).toBe("application/json");
  expect(notion.page().parent).toEqual({ page_id: PARENT });
  expect(notion.page().properties).toEqual({
    title: { title: [{ type: "text", text: { content: "Low water" } }] },
  });
  expect(notion.page().root.children.map(({ type, text }) => `${type} ${text}`)).toEqual([
    ...["heading_1 Rivers", "paragraph All of them", "to_do one", "to_do two", "code 1"],
  ]);
  // An argument overrides the setting.
  await here.publish({ title: "x", content: "", parent: `database:${PARENT}` });
  expect(notion.page().parent).toEqual({ database_id: PARENT });
  expect(notion.page().root.children).toEqual([]);
});

Deno.test("blog notion > a long and deep text arrives whole and in order, in requests that the API accepts", async () => {
  await using notion = startNotion();
  using here = await publisher(notion.host);
  const deep = Array.from({ length: 9 }, (_, at) => `${"  ".repeat(at)}- deep ${at}`);
  const content = [
    ...Array.from({ length: 130 }, (_, at) => `first ${at}`),
    deep.join("\n"),
    "| head |\n|---|\n" + Array.from({ length: 240 }, (_, at) => `| row ${at} |`).join("\n"),
    "- list\n\n  | inner |\n  |---|\n  | cell |\n\n  - > quoted",
    Array.from({ length: 120 }, (_, at) => `1. item ${at}\n   - sub ${at}`).join("\n"),
    "w".repeat(5_000),
    "the end",
  ].join("\n\n");
  const { exit, structuredContent } = await here.publish({ title: "Long", content });
  expect([exit, notion.faults]).toEqual([0, []]);
  const texts: string[] = [];
  const visit = ({ type, text, children }: Kept): void => {
    if (type !== "page" && type !== "table") texts.push(text);
    children.forEach(visit);
  };
  visit(notion.page().root);
  expect(texts).toEqual([
    ...Array.from({ length: 130 }, (_, at) => `first ${at}`),
    ...Array.from({ length: 9 }, (_, at) => `deep ${at}`),
    "head",
    ...Array.from({ length: 240 }, (_, at) => `row ${at}`),
    ...["list", "inner", "cell", "", "quoted"],
    ...Array.from({ length: 120 }, (_, at) => [`item ${at}`, `sub ${at}`]).flat(),
    "w".repeat(5_000),
    "the end",
  ]);
  expect(structuredContent!["blocks"]).toBe(texts.length + 2);
  expect(notion.requests.length).toBeLessThan(20);
});

Deno.test("blog notion > a missing setting is reported with the way to set it", async () => {
  await using notion = startNotion();
  using here = await publisher(notion.host, { "notion.key_variable": "MY_NOTION" });
  const args = { title: "a", content: "b" };
  const none = await here.publish(args, { env: { NOTION_API_KEY: KEY } });
  expect([none.exit, none.error?.code]).toEqual([8, "unavailable"]);
  expect(none.text).toContain("set the environment variable MY_NOTION to the secret of a Notion");
  const blank = await here.publish(args, { env: { MY_NOTION: "a b" } });
  expect(blank.text).toBe(
    'The variable "MY_NOTION" contains no key: it contains a blank, a control character or a ' +
      "character outside ASCII",
  );
  expect(notion.requests).toEqual([]);
  expect((await here.publish(args, { env: { MY_NOTION: KEY } })).exit).toBe(0);
  using nowhere = await publisher(notion.host, { "notion.parent": " " });
  const unset = await nowhere.publish(args, { flags: ["-A"] });
  expect(unset.exit).toBe(8);
  expect(unset.text).toContain('toolcall -A Config \'{"setting":"notion.parent","value":"0000');
  using wrong = await publisher(notion.host, { "notion.endpoint": "https://a:b@c.example" });
  const secret = await wrong.publish(args, { flags: ["-A"] });
  expect([secret.exit, secret.text]).toEqual([
    8,
    "Cannot publish to Notion: the setting notion.endpoint contains a user name or a password; " +
    "remove it: a key belongs in an environment variable; set it: toolcall -A Config " +
    '\'{"setting":"notion.endpoint","value":"https://api.notion.com"}\'',
  ]);
});

Deno.test("blog notion > nothing is sent without permission for the host, and the error names the host", async () => {
  await using notion = startNotion();
  using here = await publisher(notion.host);
  const args = { title: "a", content: "b" };
  for (const flags of [[], ["--allow-net=127.0.0.1:1"], ["-A", `--deny-net=${notion.host}`]]) {
    const { exit, text } = await here.publish(args, { flags });
    expect({ flags, exit, named: text.includes(notion.host) })
      .toEqual({ flags, exit: 6, named: true });
  }
  expect(notion.requests).toEqual([]);
});

Deno.test("blog notion > each error of the API is reported with advice", async () => {
  const cases: [answer: () => Response, says: (string | RegExp)[], made: boolean][] = [
    [() => failure(400, { code: "validation_error", message: "no such property" }), [
      'answered 400: "no such property"',
    ], true],
    [() => failure(401, { code: "unauthorized", message: `${KEY} is invalid` }), [
      'answered 401: "[the key] is invalid"; the key in the environment variable "NOTION_API_KEY" is not valid',
    ], true],
    [() => failure(403, { code: "restricted_resource", message: "no" }), [
      'answered 403: "no"; the connection may not add content there',
    ], true],
    [() => failure(404, { code: "object_not_found", message: "Could not find it" }), [
      "or it is not shared with the connection",
    ], true],
    [() => failure(409, { code: "conflict_error", message: "c" }), [
      "it was changed at the same time",
    ], true],
    [
      () =>
        failure(429, { code: "rate_limited", message: "slow", headers: { "retry-after": "60" } }),
      ['answered 429: "slow"; it takes no more requests at the moment: try again in 60 seconds'],
      true,
    ],
    [() => failure(429, { code: "rate_limited", message: "slow" }), ["try again later"], true],
    [() => new Response("<html>", { status: 502 }), [
      /answered 502; the service failed: try again later; the page may have been created/,
    ], false],
    [() => new Response(null, { status: 302, headers: { location: "http://x.example/" } }), [
      'it redirects to "http://x.example/"; set "notion.endpoint"',
    ], true],
    [
      () => new Response("not JSON"),
      ["is not a JSON object; the page may have been created"],
      false,
    ],
    [() => Response.json([]), ["is not a JSON object; the page may have been created"], false],
    [() => Response.json({}), ["It is unknown whether the page was created"], false],
  ];
  let now: () => Response = () => new Response();
  await using notion = startNotion(() => now());
  using here = await publisher(notion.host);
  for (const [answer, says, isKnown] of cases) {
    now = answer;
    const { exit, text } = await here.publish({ title: "a", content: "b" });
    expect(exit).toBe(1);
    expect(text).toMatch(/^(Cannot publish to Notion|It is unknown whether)/);
    for (const each of says) {
      if (typeof each === "string") expect(text).toContain(each);
      else expect(text).toMatch(each);
    }
    expect({ text, isKnown: !/may have been created|It is unknown/.test(text) }).toEqual({
      text,
      isKnown,
    });
  }
  // A request is sent again only if the API refused it and says when to send it again.
  expect(notion.requests.length).toBe(cases.length);
});

Deno.test("blog notion > a request that came too soon is sent again after the time that the API names", async () => {
  const soon = () =>
    failure(429, { code: "rate_limited", message: "slow", headers: { "retry-after": "1" } });
  await using notion = startNotion((n) => n === 1 || n === 3 ? soon() : undefined);
  using here = await publisher(notion.host);
  const content = Array.from({ length: 101 }, (_, at) => `p ${at}`).join("\n\n");
  const { exit } = await here.publish({ title: "a", content });
  expect(exit).toBe(0);
  expect(notion.requests.length).toBe(4);
  expect(notion.page().root.children.length).toBe(101);
});

Deno.test("blog notion > an incomplete page is reported with its address", async () => {
  await using notion = startNotion((n) =>
    n === 3 ? failure(409, { code: "conflict_error", message: "c" }) : undefined
  );
  using here = await publisher(notion.host);
  const content = Array.from({ length: 301 }, (_, at) => `p ${at}`).join("\n\n");
  const { exit, text, error } = await here.publish({ title: "a", content });
  const { id } = notion.page().root;
  const url = `https://www.notion.so/${id.replaceAll("-", "")}`;
  expect(exit).toBe(1);
  expect(text).toContain(
    `The page was created with 200 of 301 blocks: ${url}; the rest was not added: `,
  );
  expect(text).toContain("it was changed at the same time: try again");
  expect(error).toEqual({
    code: "tool_failed",
    status: 409,
    url,
    page_id: id,
    blocks: 200,
    of_blocks: 301,
  });
});
