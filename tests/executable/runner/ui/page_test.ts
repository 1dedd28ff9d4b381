/** The page in a real Chromium. */
// tier: machine
import { expect } from "@std/expect";
import type { Page } from "playwright-core";
import { executable } from "../../../support/executable.ts";
import { missingServer, NatsServer, RunningWorker } from "../../../support/nats_server.ts";
import { COUNT_HITS, hostileTexts } from "../../../support/hostile_texts.ts";
import { processesWith } from "../../../support/processes.ts";
import { isBrowserMissing, openPage, startPage } from "../../../support/ui_page.ts";
import { temporaryDirectory } from "../../../support/temporary_directory.ts";
import { until } from "../../../support/wait.ts";
import { openRoute } from "./routes.ts";
import { trustFile } from "../../../support/trust.ts";

const ignore = isBrowserMissing();

/** The address of a tool with arguments, as a hash. */
const link = (name: string, args: unknown) =>
  `#/tools/${name}?args=${encodeURIComponent(JSON.stringify(args))}`;

async function go(page: Page, hash: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
}

/** Waits until an expression is true. The policy of the page forbids `waitForFunction`. */
async function waitUntil(page: Page, expression: string): Promise<void> {
  const isTrue = await until(async () => Boolean(await page.evaluate(expression)));
  expect({ expression, isTrue }).toEqual({ expression, isTrue: true });
}

/** Waits until as many processes sleep for this time. */
async function untilSleeping(count: number, mark: string): Promise<void> {
  const running = () => processesWith(`sleep\0${mark}\0`).length;
  await until(() => running() === count);
  expect(running()).toBe(count);
}

async function runCall(page: Page, name: string, args: unknown): Promise<string> {
  await go(page, link(name, args));
  await page.waitForSelector(".permission .badge");
  await page.click("#run");
  await page.waitForSelector("#result");
  return await page.innerText("#result pre");
}

Deno.test({
  name: "page > every tool has a form, and its first example fills it in unchanged",
  ignore,
  async fn() {
    await using server = await startPage(["--allow-read=."]);
    await using opened = await openPage(server.url);
    const { page, errors } = opened;
    await page.waitForSelector(".tool-row");
    const tools = await (await server.api("tools")).json();
    expect(tools.length).toBeGreaterThan(30);
    for (const { name, examples, inputSchema } of tools) {
      await go(page, `#/tools/${name}`);
      await waitUntil(
        page,
        `document.querySelector(".call h1")?.textContent === ${JSON.stringify(name)}`,
      );
      const fields = await page.locator(".call .fields > .field").count();
      expect({ name, fields: fields > 0 }).toEqual({
        name,
        fields: Object.keys(inputSchema.properties).length > 0,
      });
      if (examples.length === 0) continue;
      await page.click(".call > .presets .preset");
      await page.click("text=Edit as JSON");
      expect(JSON.parse(await page.inputValue("#json-args"))).toEqual(examples[0].input);
      await page.click("text=Edit as form");
    }
    expect(errors).toEqual([]);
  },
});

Deno.test({
  name: "page > the token is removed from the address, and a wrong token is refused",
  ignore,
  async fn() {
    await using server = await startPage([]);
    await using opened = await openPage(server.url);
    await opened.page.waitForSelector(".top");
    expect(opened.page.url()).not.toContain(server.token);
    expect(
      await opened.page.evaluate("JSON.stringify([localStorage, sessionStorage, document.cookie])"),
    ).not.toContain(server.token);
    await using wrong = await openPage(`${server.origin}/#token=wrong`);
    await wrong.page.waitForSelector(".token [role=alert]");
    await wrong.page.fill("#token", server.token);
    await wrong.page.keyboard.press("Enter");
    await wrong.page.waitForSelector(".top");
  },
});

Deno.test({
  name:
    "page > a refused call shows the flag that it needs, and a wider flag shows the command line",
  ignore,
  async fn() {
    await using server = await startPage(["--allow-read=."]);
    await using opened = await openPage(server.url);
    const { page } = opened;
    await page.waitForSelector(".top");
    await go(page, link("Read", { file_path: "/etc/hosts" }));
    await page.waitForSelector(".needs .no");
    expect(await page.innerText(".needs .no")).toContain("--allow-read=/etc/hosts");
    await page.click(".needs button");
    await page.waitForSelector("#refused");
    expect(await page.innerText("#refused pre")).toContain("/etc/hosts");
    await page.click("#refused >> text=Undo");
    await go(page, "#/permissions");
    await page.click("text=Nothing");
    await waitUntil(page, `document.querySelector("#flags").textContent.startsWith("(none")`);
  },
});

Deno.test({
  name: "page > hostile results, tool names and arguments run no code and add no element",
  ignore,
  async fn() {
    using root = temporaryDirectory();
    await using server = await startPage([`--root=${root.path}`, `--allow-read=${root.path}`]);
    await using opened = await openPage("about:blank");
    const { page } = opened;
    await page.addInitScript(COUNT_HITS);
    await page.goto(server.url);
    await page.waitForSelector(".top");
    // The count works: a text that runs would do this.
    expect(await page.evaluate("hit(), window.hits--")).toBe(1);
    const scripts = await page.locator("script").count();
    for (const [at, text] of hostileTexts.entries()) {
      Deno.writeTextFileSync(`${root.path}/hostile-${at}.txt`, text);
      const payload = JSON.stringify({
        content: [{ type: "text", text }],
        structuredContent: { rows: [{ [text]: text }] },
      });
      await page.route("**/api/call", (route) =>
        route.fulfill({
          contentType: "text/event-stream",
          body:
            `event: start\ndata: {"id":"x"}\n\nevent: result\ndata: {"ms":1,"exit":0,"result":${payload}}\n\n`,
        }), { times: 1 });
      await go(page, link("Read", { file_path: text }));
      await waitUntil(page, `document.querySelector("#field-file_path")?.value !== undefined`);
      await page.click("#run");
      await waitUntil(
        page,
        `document.querySelector("#result pre")?.textContent.trimEnd().endsWith(${
          JSON.stringify(String(at))
        })`,
      );
    }
    expect(await page.evaluate("window.hits")).toBe(0);
    // The description of a server's tool is not trusted either.
    await page.route("**/api/tools", async (route) => {
      const tools = await (await route.fetch()).json();
      await route.fulfill({
        json: hostileTexts.map((text, at) => ({
          ...tools[0],
          name: `${at}${text}`,
          title: text,
          description: text,
          category: text,
          sideEffect: text,
        })),
      });
    });
    await page.goto("about:blank");
    await page.goto(server.url);
    await page.waitForSelector(".tool-row");
    await page.click(".tool-row");
    await page.waitForSelector(".call");
    expect(await page.evaluate("window.hits")).toBe(0);
    expect(await page.locator("script").count()).toBe(scripts);
    expect(
      await page.locator("iframe, object, base, link[href*=attacker], .panel form, main style")
        .count(),
    ).toBe(0);
    expect(page.url()).toContain(server.origin);
  },
});

Deno.test({
  name: "page > Cancel ends the programs of a call",
  ignore,
  async fn() {
    await using server = await startPage(["--allow-run=bash,sleep"]);
    await using opened = await openPage(server.url);
    const { page } = opened;
    await page.waitForSelector(".top");
    // The number is the mark of this run: no other process on the machine sleeps as long.
    const mark = `9${crypto.getRandomValues(new Uint32Array(1))[0]}.${Deno.pid}`;
    await go(page, link("Bash", { command: `sleep ${mark} & sleep ${mark}` }));
    await page.waitForSelector(".permission .badge.good");
    await page.click("#run");
    await page.waitForSelector("#cancel");
    await untilSleeping(2, mark);
    await page.click("#cancel");
    await untilSleeping(0, mark);
  },
});

Deno.test({
  name: "page > a question of a tool is a dialog, and is answered with the keyboard",
  ignore,
  async fn() {
    await using server = await startPage(["--allow-read=."]);
    await using opened = await openPage(server.url);
    const { page } = opened;
    await page.waitForSelector(".top");
    const options = [{ label: "Blue", description: "A colour" }, {
      label: "Red",
      description: "Another",
    }];
    await go(
      page,
      link("AskUserQuestion", {
        questions: [{ question: "Which colour?", header: "Colour", multiSelect: false, options }],
      }),
    );
    await page.waitForSelector(".permission .badge");
    await page.keyboard.press("Control+Enter");
    await page.waitForSelector("dialog[open]");
    await page.focus("dialog input[type=radio]");
    await page.keyboard.press("Space");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#result");
    expect(await page.innerText("#result pre")).toContain("Blue");
  },
});

Deno.test({
  name: "page > audit lines arrive, and a copied command line gives the same result",
  ignore,
  async fn() {
    using root = temporaryDirectory();
    Deno.writeTextFileSync(`${root.path}/it's a file.txt`, "the content\n");
    using logs = temporaryDirectory();
    await using server = await startPage([
      `--root=${root.path}`,
      `--allow-read=${root.path}`,
      `--audit=${logs.path}/audit.jsonl`,
    ]);
    await using opened = await openPage(server.url);
    const { page, errors } = opened;
    await page.waitForSelector(".top");
    const shown = await runCall(page, "Read", { file_path: `${root.path}/it's a file.txt` });
    await page.click("summary:has-text('Copy as')");
    const command = await page.innerText("#copy-text");
    const { stdout } = await new Deno.Command("sh", {
      args: ["-c", `toolcall() { "${executable}" "$@"; }\n${command}`],
    }).output();
    expect(JSON.parse(new TextDecoder().decode(stdout)).content[0].text.trim()).toBe(shown.trim());
    await go(page, "#/audit");
    await page.waitForSelector(".line");
    expect(await page.innerText(".line")).toContain("Read");
    expect(Deno.readTextFileSync(`${logs.path}/audit.jsonl`)).not.toContain(server.token);
    expect(errors).toEqual([]);
  },
});

/** The violations that axe-core finds in what is shown. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(
    Deno.readTextFileSync(new URL("axe.min.js", import.meta.resolve("axe-core"))),
  );
  return await page.evaluate(
    "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 150)).slice(0, 3).join(' | ')}`))",
  );
}

/** The last step before a page is checked. The other pages are checked as they are. */
const PREPARED: Record<string, (page: Page) => Promise<unknown>> = {
  history: (page) => page.click(".line-main"),
  tasks: (page) => page.click("button:has-text('Output')"),
  audit: (page) => page.waitForSelector(".line"),
  doctor: (page) => page.waitForSelector(".code-lines"),
};

Deno.test({
  name: "page > axe-core finds no violation on any page, light or dark, wide or narrow",
  ignore,
  async fn() {
    using root = temporaryDirectory();
    Deno.writeTextFileSync(
      `${root.path}/toolcall.json`,
      JSON.stringify({ mcpServers: { demo: { command: `${root.path}/no-such-program` } } }),
    );
    trustFile(`${root.path}/toolcall.json`, `${root.path}/state`);
    await using stack = new AsyncDisposableStack();
    const flags = [
      `--root=${root.path}`,
      `--allow-read=${root.path}`,
      "--allow-run=bash",
      `--state-dir=${root.path}/state`,
      `--audit=${root.path}/audit.jsonl`,
    ];
    const pages = ["tools/Glob", "tools/TodoWrite", "permissions", "history", "tasks", "audit"];
    pages.push("servers", "doctor");
    if (missingServer === undefined) {
      const nats = stack.use(await NatsServer.start());
      stack.use(await RunningWorker.start(nats.url, ["--allow-read"]));
      flags.push(`--nats=${nats.url}`);
      pages.push("workers");
    }
    const server = stack.use(await startPage(flags));
    const { page } = stack.use(await openPage(server.url));
    await page.waitForSelector(".top");
    await runCall(page, "Bash", { command: "ls", run_in_background: true });
    await runCall(page, "Read", { file_path: "/etc/hosts" });
    await runCall(page, "Glob", { pattern: "*.json" });
    const check = async (view: string) => {
      expect({ view, found: await violations(page) }).toEqual({ view, found: [] });
    };
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      for (const width of [360, 1400]) {
        await page.setViewportSize({ width, height: 900 });
        for (const route of pages) {
          await openRoute(page, route);
          await PREPARED[route]?.(page);
          await check(`${route}, ${colorScheme}, ${width} pixels wide`);
        }
        await page.keyboard.press("?");
        await page.waitForSelector("dialog[open]");
        await check(`the keys, ${colorScheme}, ${width} pixels wide`);
        await page.keyboard.press("Escape");
        const options = ["Blue", "Red"].map((label) => ({ label, description: "A colour" }));
        const question = { question: "Which?", header: "Colour", multiSelect: false, options };
        await go(page, link("AskUserQuestion", { questions: [question] }));
        await page.waitForSelector(".call h1 >> text=AskUserQuestion");
        await page.click("#run");
        await page.waitForSelector("dialog[open]");
        await check(`a question, ${colorScheme}, ${width} pixels wide`);
        await page.keyboard.press("Escape");
        await page.waitForSelector("#result");
      }
    }
    const { page: other } = stack.use(await openPage(server.origin));
    await other.waitForSelector("#token");
    expect(await violations(other)).toEqual([]);
  },
});

Deno.test({
  name: "page > 3,000 tools and 10,000 calls draw only the elements in view",
  ignore,
  async fn() {
    await using server = await startPage([]);
    await using opened = await openPage("about:blank");
    const { page } = opened;
    const tools = await (await server.api("tools")).json();
    await page.route("**/api/tools", (route) =>
      route.fulfill({
        json: Array.from(
          { length: 3_000 },
          (_, at) => ({ ...tools[at % tools.length], name: `tool_${at}` }),
        ),
      }));
    await page.addInitScript(
      `sessionStorage.setItem("calls", JSON.stringify(Array.from({ length: 10_000 }, (_, id) => ({ id, at: 1e12 + id, name: "Read", args: {}, flags: [], ms: id % 50, exit: 0, code: "", needs: [] }))))`,
    );
    await page.goto(server.url);
    await page.waitForSelector(".tool-row");
    expect(await page.locator(".tool-row").count()).toBeLessThan(60);
    await go(page, "#/history");
    await page.waitForSelector(".line");
    expect(await page.innerText(".page")).toContain("10,000 calls");
    expect(await page.locator(".line").count()).toBeLessThan(60);
  },
});
