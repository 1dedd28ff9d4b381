/** The parts of the page in a real Chromium: fields, filters, copies, tasks, servers, workers, speed. */
// tier: machine
import { expect } from "@std/expect";
import type { Page } from "playwright-core";
import { executable } from "../../../support/executable.ts";
import { missingServer, NatsServer } from "../../../support/nats_server.ts";
import { temporaryDirectory } from "../../../support/temporary_directory.ts";
import { isBrowserMissing, openPage, startPage } from "../../../support/ui_page.ts";

const ignore = isBrowserMissing();

const go = (page: Page, hash: string) => page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
const link = (name: string, args: unknown) =>
  `#/tools/${name}?args=${encodeURIComponent(JSON.stringify(args))}`;

Deno.test({
  name: "page > each problem of the arguments is shown at its field, in a list too",
  ignore,
  async fn() {
    await using server = await startPage([]);
    await using opened = await openPage(server.url);
    const { page } = opened;
    await page.waitForSelector(".top");
    await go(page, link("Read", { file_path: 3 }));
    await page.waitForSelector(".field.wrong:has(#field-file_path) .error");
    await go(page, link("TodoWrite", { todos: [{ content: "a", status: 1, activeForm: "b" }] }));
    await page.waitForSelector("fieldset .field.wrong .error");
    expect(await page.locator(".field.wrong:not(:has(.field))").count()).toBe(1);
  },
});

Deno.test({
  name: "page > the list of tools has locks, favorites and filters",
  ignore,
  async fn() {
    await using server = await startPage(["--allow-read=."]);
    await using opened = await openPage(server.url);
    const { page } = opened;
    await page.waitForSelector(".tool-row");
    expect(await page.locator(".tool-row:has(.lock) b", { hasText: /^Bash$/ }).count()).toBe(1);
    expect(await page.locator(".tool-row:has(.lock) b", { hasText: /^Read$/ }).count()).toBe(0);
    await go(page, "#/tools/Read");
    await page.click("[aria-label='Favourite: Read']");
    expect(await page.innerText(".tool-row >> nth=0")).toContain("Read");
    await page.selectOption("[aria-label='Filter by group']", "favourites");
    expect(await page.locator(".tool-row").count()).toBe(1);
    await page.selectOption("[aria-label='Filter by group']", "callable");
    expect(await page.locator(".lock").count()).toBe(0);
  },
});

Deno.test({
  name: "page > a call copied as a command, for Python, Node or curl gives the same result",
  ignore,
  async fn() {
    using root = temporaryDirectory();
    const file = `${root.path}/it's "a" file.txt`;
    Deno.writeTextFileSync(file, "the content\n");
    await using server = await startPage(
      [`--root=${root.path}`, `--allow-read=${root.path}`],
      ["mcp", "--http=127.0.0.1:0"],
    );
    await using opened = await openPage(server.url);
    const { page } = opened;
    await page.waitForSelector(".top");
    await go(page, link("Read", { file_path: file }));
    await page.waitForSelector("#run");
    await page.click("summary:has-text('Copy as')");
    using bin = temporaryDirectory();
    Deno.symlinkSync(executable, `${bin.path}/toolcall`);
    const env = { PATH: `${bin.path}:${Deno.env.get("PATH")}`, TOKEN: server.token };
    for (
      const [kind, program] of [["CLI", "sh"], ["Python", "python3"], ["Node", "node"], [
        "curl",
        "sh",
      ]] as const
    ) {
      await page.click(`[aria-label='Form of the copy'] >> text="${kind}"`);
      const flag = program === "node" ? "-e" : "-c";
      const text = await page.innerText("#copy-text");
      const { stdout, stderr } = await new Deno.Command(program, { args: [flag, text], env })
        .output();
      const shown = new TextDecoder().decode(stdout);
      const why = new TextDecoder().decode(stderr);
      expect({ kind, why, isSame: shown.includes("the content") })
        .toEqual({ kind, why, isSame: true });
    }
  },
});

Deno.test({
  name: "page > a background task appears without a reload, and Stop ends it",
  ignore,
  async fn() {
    using state = temporaryDirectory();
    await using server = await startPage([
      "--allow-run=bash,sleep",
      `--state-dir=${state.path}`,
    ]);
    await using opened = await openPage(server.url);
    const { page } = opened;
    await page.waitForSelector(".top");
    await go(page, link("Bash", { command: "sleep 300", run_in_background: true }));
    await page.waitForSelector(".permission .badge.good");
    await page.click("#run");
    await page.waitForSelector("#result");
    await go(page, "#/tasks");
    await page.click("button:has-text('Stop')");
    await page.waitForSelector(".badge.bad:has-text('stopped')");
  },
});

Deno.test({
  name: "page > a result is shown for a model, and the history is saved as a file",
  ignore,
  async fn() {
    using root = temporaryDirectory();
    Deno.writeTextFileSync(
      `${root.path}/a.md`,
      "# Title\n\n- one\n- two <b>x</b>\n\n[bad](javascript:hit())\n",
    );
    await using server = await startPage([`--root=${root.path}`, `--allow-read=${root.path}`]);
    await using opened = await openPage(server.url);
    const { page, errors } = opened;
    await page.waitForSelector(".top");
    await go(page, link("Read", { file_path: `${root.path}/a.md` }));
    await page.waitForSelector(".permission .badge.good");
    await page.click("#run");
    await page.click("[role=tab]:has-text('For the model')");
    await page.waitForSelector("#for-model:has-text('tool_call_id')");
    await page.click("text=anthropic");
    await page.waitForSelector("#for-model:has-text('tool_result')");
    await go(page, "#/history");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.click("text=Save as a file"),
    ]);
    const saved = Deno.readTextFileSync(await download.path());
    expect(JSON.parse(saved)).toMatchObject({ name: "Read", code: null });
    expect(errors).toEqual([]);
  },
});

Deno.test({
  name: "page > the configuration shows its faults by line, and no secret",
  ignore,
  async fn() {
    using root = temporaryDirectory();
    Deno.writeTextFileSync(
      `${root.path}/toolcall.json`,
      '{\n "permissions": {"look": {"wrte": []}},\n "mcpServers": {"demo": {"command": "missing-program", "env": {"API_KEY": "s3cret"}}}\n}\n',
    );
    await using server = await startPage([`--config=${root.path}/toolcall.json`]);
    await using opened = await openPage(server.url);
    const { page } = opened;
    await page.waitForSelector(".top");
    await go(page, "#/doctor");
    await page.waitForSelector(".code-lines .fault");
    expect(await page.innerText(".fault .number")).toBe("2");
    expect(await page.innerText(".code-lines")).not.toContain("s3cret");
    await go(page, "#/servers");
    await page.waitForSelector(".cards-list .panel");
    expect(await page.innerText(".cards-list .panel")).toContain("--allow-mcp=demo");
    expect(await page.locator(".grid-list .panel").count()).toBeGreaterThan(12);
  },
});

Deno.test({
  name: "page > the flags without one of them are compared with the current flags",
  ignore,
  async fn() {
    using root = temporaryDirectory();
    await using server = await startPage([`--root=${root.path}`, `--allow-read=${root.path}`]);
    await using opened = await openPage(server.url);
    const { page } = opened;
    await page.waitForSelector(".top");
    await go(page, link("Read", { file_path: `${root.path}/a` }));
    await page.waitForSelector(".permission .badge.good");
    await go(page, "#/permissions");
    await page.selectOption("#flag-diff select", `--allow-read=${root.path}`);
    await page.waitForSelector("#flag-diff .added:has-text('refused')");
  },
});

Deno.test({
  name: "page > the workers on NATS are shown with their slots, calls and failures",
  ignore: ignore || missingServer !== undefined,
  async fn() {
    await using nats = await NatsServer.start();
    using root = temporaryDirectory();
    const worker = new Deno.Command(executable, {
      args: ["worker", `--nats=${nats.url}`, "--jobs=3", `--allow-read=${root.path}`],
      ...{ stdin: "null", stdout: "null", stderr: "null" },
    }).spawn();
    try {
      await using server = await startPage([`--nats=${nats.url}`]);
      await using opened = await openPage(server.url);
      const { page } = opened;
      await page.waitForSelector(".top");
      await go(page, "#/workers");
      await page.waitForSelector(".cards-list .panel:has-text('0 of 3 slots')");
      for (const path of [root.path, root.path, "/etc"]) {
        await new Deno.Command(executable, {
          args: ["call", `--nats=${nats.url}`, "Glob", JSON.stringify({ pattern: "*", path })],
          ...{ stdin: "null", stdout: "null", stderr: "null" },
        }).output();
      }
      await page.waitForSelector("tr:has(td:text-is('Glob')):has(td:text-is('3'))");
      const cells = await page.locator("tr:has-text('Glob') td").allInnerTexts();
      expect(cells.slice(0, 3)).toEqual(["Glob", "3", "1"]);
      expect(cells[4]).toMatch(/denied/);
    } finally {
      worker.kill("SIGTERM");
      await worker.status;
    }
  },
});

Deno.test({
  name: "page > the first paint and the inputs are quick with 3,000 tools and 10,000 calls",
  ignore,
  async fn() {
    await using server = await startPage([]);
    await using opened = await openPage("about:blank");
    const { page } = opened;
    const paint = async (url: string) => {
      await page.goto("about:blank");
      await page.goto(url);
      const expression = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime";
      let time: number | undefined;
      while (time === undefined) time = await page.evaluate(expression);
      return time;
    };
    const ratios: number[] = [];
    for (let count = 0; count < 15; count++) {
      const empty = await paint(`${server.origin}/nothing`);
      ratios.push(await paint(server.url) / empty);
    }
    const firstPaint = ratios.sort((a, b) => a - b)[7]!;
    const tools = await (await server.api("tools")).json();
    const many = JSON.stringify(Array.from(
      { length: 3_000 },
      (_, at) => ({ ...tools[at % tools.length], name: `tool_${at}` }),
    ));
    await page.route("**/api/tools", (route) => route.fulfill({ body: many }));
    await page.addInitScript(
      `if (location.pathname === "/") sessionStorage.setItem("calls", JSON.stringify(Array.from({ length: 10_000 }, (_, id) => ({ id, at: 1e12 + id, name: "Read", args: {}, flags: [], ms: id % 50, exit: 0, code: "", needs: [] }))))`,
    );
    await page.goto("about:blank");
    await page.goto(server.url);
    await page.waitForSelector(".tool-row");
    // The time from a key to the frame that shows its effect, in the browser's own clock.
    const interaction = async (action: string) => {
      const times: number[] = [];
      for (let count = 0; count < 5; count++) {
        times.push(
          await page.evaluate(
            `new Promise((done) => { const begun = performance.now(); ${action}; requestAnimationFrame(() => setTimeout(() => done(performance.now() - begun))); })`,
          ),
        );
      }
      return times.sort((a, b) => a - b)[2]!;
    };
    const type = (selector: string, text: string) =>
      `{ const input = document.querySelector(${
        JSON.stringify(selector)
      }); input.value = "${text}" + Math.floor(performance.now() % 10); input.dispatchEvent(new Event("input", { bubbles: true })); }`;
    const search = await interaction(type("#search", "tool_2"));
    await go(page, "#/history");
    await page.waitForSelector(".line");
    const history = await interaction(type(".page input[type=search]", "rea"));
    // deno-lint-ignore no-console -- The figures are for the reader.
    console.log({ firstPaint, search, history });
    // The target is 100 ms. A busy machine measures more.
    expect({ search: search < 1_000, history: history < 1_000 })
      .toEqual({ search: true, history: true });
    // The target is 1.5, and three quiet runs measured 1.15 to 1.22. A busy machine measures more.
    expect(firstPaint).toBeLessThanOrEqual(4);
  },
});
