/** Each action of a user on the page, in a real Chromium, and its effect. */
// tier: machine
import { expect } from "@std/expect";
import type { Page } from "playwright-core";
import { executable } from "../../../support/executable.ts";
import { temporaryDirectory } from "../../../support/temporary_directory.ts";
import { isBrowserMissing, openPage, startPage } from "../../../support/ui_page.ts";
import { openRoute } from "./routes.ts";
import { trustFile } from "../../../support/trust.ts";

const ignore = isBrowserMissing();

const go = (page: Page, hash: string) => page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
const link = (name: string, args: unknown) =>
  `#/tools/${name}?args=${encodeURIComponent(JSON.stringify(args))}`;

/** Opens a call, and waits until its permissions are checked. */
async function openCall(page: Page, name: string, args: unknown): Promise<void> {
  await go(page, link(name, args));
  await page.waitForSelector(`.call h1 >> text=/^${name}$/`);
  await page.waitForSelector(".permission .badge");
}

async function runCall(page: Page, name: string, args: unknown): Promise<void> {
  await openCall(page, name, args);
  await page.click("#run");
  await page.waitForSelector("#result");
}

/** The text that the last Copy has put on the clipboard. */
async function copied(page: Page): Promise<string> {
  await page.waitForSelector(".toast:has-text('Copied')");
  return await page.evaluate("navigator.clipboard.readText()");
}

/** Declares a test of the page. The files of `files` are in its directory, which it may read. */
function pageTest(
  name: string,
  run: (
    page: Page,
    given: { root: string; origin: string; token: string; errors: string[] },
  ) => Promise<void>,
  { files = {}, flags = [] }: { files?: Record<string, string>; flags?: readonly string[] } = {},
): void {
  Deno.test({
    name: `page > ${name}`,
    ignore,
    async fn() {
      using directory = temporaryDirectory();
      const root = directory.path;
      for (const [file, text] of Object.entries(files)) {
        Deno.writeTextFileSync(`${root}/${file}`, text);
      }
      if (Object.hasOwn(files, "toolcall.json")) trustFile(`${root}/toolcall.json`);
      await using server = await startPage([`--root=${root}`, `--allow-read=${root}`, ...flags]);
      await using opened = await openPage(server.url);
      const { page, errors } = opened;
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await page.waitForSelector(".tool-row");
      await run(page, { root, errors, ...server });
      expect(errors).toEqual([]);
    },
  });
}

pageTest("a call copied as JSON runs, and its link opens the same call", async (page, { root }) => {
  const args = { file_path: `${root}/a ü.txt` };
  await openCall(page, "Read", args);
  await page.click("summary:has-text('Copy as')");
  await page.click(`[aria-label='Form of the copy'] >> text="JSON"`);
  await page.click("details >> text=/^Copy$/");
  const call = await copied(page);
  const command = new Deno.Command(executable, {
    args: [`--allow-read=${root}`],
    ...{ stdin: "piped", stdout: "piped" },
  }).spawn();
  await new Blob([call]).stream().pipeTo(command.stdin);
  const { content } = JSON.parse(new TextDecoder().decode((await command.output()).stdout));
  expect(content[0].text).toContain("the content");
  await page.click(`[aria-label='Form of the copy'] >> text="Link"`);
  const address = await page.innerText("#copy-text");
  await go(page, "#/tools/Glob");
  await page.goto(address);
  await page.waitForSelector(".call h1:has-text('Read')");
  expect(await page.inputValue("#field-file_path")).toBe(args.file_path);
}, { files: { "a ü.txt": "the content\n" } });

pageTest("a link without the token asks for it, and then opens the call", async (page, given) => {
  const args = { pattern: "x" };
  await page.goto("about:blank");
  await page.goto(`${given.origin}/${link("Grep", args)}`);
  await page.waitForSelector("#token");
  expect(await page.locator(".tool-row, .call").count()).toBe(0);
  await page.fill("#token", given.token);
  await page.keyboard.press("Enter");
  await page.waitForSelector(".call h1:has-text('Grep')");
  expect(await page.inputValue("#field-pattern")).toBe("x");
});

const question = (text: string, multiSelect: boolean) => ({
  question: text,
  header: "Colour",
  multiSelect,
  options: [{ label: "Blue", description: "A colour" }, { label: "Red", description: "Another" }],
});

pageTest(
  "a question is declined, answered with several options, or answered in free text",
  async (page) => {
    const ask = async (multiSelect: boolean) => {
      await openCall(page, "AskUserQuestion", { questions: [question("Which?", multiSelect)] });
      await page.click("#run");
      await page.waitForSelector("dialog[open]");
    };
    await ask(false);
    await page.click("dialog >> text=Decline");
    await page.waitForSelector("#result:has-text('Failed')");
    await ask(true);
    await page.click("dialog label:has-text('Blue')");
    await page.click("dialog label:has-text('Red')");
    await page.click("dialog >> text=/^Answer$/");
    await page.waitForSelector("#result pre:has-text('Blue, Red')");
    await ask(false);
    expect(await page.isDisabled("dialog >> text=/^Answer$/")).toBe(true);
    await page.fill("dialog input[aria-label*='own words']", "Green");
    await page.click("dialog >> text=/^Answer$/");
    await page.waitForSelector("#result pre:has-text('Green')");
    await ask(false);
    await page.keyboard.press("Escape");
    await page.waitForSelector("#result:has-text('Failed')");
  },
);

pageTest("the question of ExitPlanMode is a dialog too", async (page) => {
  await runCall(page, "Config", { setting: "plan_mode", value: true });
  await openCall(page, "ExitPlanMode", { plan: "Write the tests first" });
  await page.click("#run");
  await page.waitForSelector("dialog[open]:has-text('Write the tests first')");
  await page.click("dialog input[type=radio] >> nth=0");
  await page.click("dialog >> text=/^Answer$/");
  await page.waitForSelector("#result:has-text('Done')");
});

pageTest("the history compares two calls, and copies all as lines of JSON", async (page, given) => {
  await runCall(page, "Read", { file_path: `${given.root}/one` });
  await runCall(page, "Read", { file_path: `${given.root}/two` });
  await go(page, "#/history");
  await page.click(".line-main >> nth=0");
  await page.click("text=Compare with …");
  await page.click(".line-main >> nth=1");
  await page.waitForSelector(".two > :nth-child(1):has-text('second')");
  await page.waitForSelector(".two > :nth-child(2):has-text('first')");
  await page.click("text=End comparison");
  expect(await page.locator(".two").count()).toBe(0);
  await page.click("text=Copy as JSONL");
  const lines = (await copied(page)).trim().split("\n").map((line) => JSON.parse(line));
  expect(lines.map((line) => line.arguments.file_path)).toEqual([
    `${given.root}/two`,
    `${given.root}/one`,
  ]);
  await page.fill("[aria-label='Search calls']", "two");
  await page.waitForSelector("text=1 calls");
  await page.click(".line-main");
  await page.click("text=Edit and replay");
  await page.waitForSelector(".call h1:has-text('Read')");
  expect(await page.inputValue("#field-file_path")).toBe(`${given.root}/two`);
}, { files: { one: "first\n", two: "second\n" } });

pageTest(
  "a result has the tabs that fit its content",
  async (page, { root }) => {
    const tab = (name: string) => page.click(`#result [role=tab] >> text="${name}"`);
    await runCall(page, "Read", { file_path: `${root}/nothing` });
    expect(await page.locator("[role=tab] >> text=Table").count()).toBe(0);
    await runCall(page, "fs.read", { path: "a.md" });
    await tab("Markdown");
    await page.waitForSelector("#result .markdown li:has-text('one')");
    await tab("For the model");
    await page.click("#result button:text-is('responses')");
    await page.waitForSelector("#for-model:has-text('function_call_output')");
    await tab("JSON");
    await page.waitForSelector("#result pre:has-text('\"isError\": false')");
    const wait = "until [ -e go ]; do sleep 0.02; done";
    await openCall(page, "Bash", { command: `echo out; echo progress >&2; ${wait}` });
    await page.click("#run");
    await page.waitForSelector(".panel:has(.spinner):has-text('progress')");
    Deno.writeTextFileSync(`${root}/go`, "");
    await page.waitForSelector("#result");
    await tab("Log");
    await page.waitForSelector("#result pre:has-text('progress')");
    await runCall(page, "logit", { grammar: 'root ::= "yes" | "no"', text: "" });
    await tab("Table");
    expect(await page.locator("#result tbody tr").count()).toBe(2);
  },
  { files: { "a.md": "# Title\n\n- one\n- two\n" }, flags: ["--allow-run=bash,sleep"] },
);

pageTest("a long result is truncated, and Save writes all of it", async (page) => {
  await runCall(page, "fs.read", { path: "long" });
  const shown = (await page.textContent("#result pre"))!;
  expect(shown).toContain("more characters, which Save writes to a file");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.click("#result >> text=/^Save$/"),
  ]);
  const { content } = JSON.parse(Deno.readTextFileSync(await download.path()));
  expect(content[0].text.length).toBeGreaterThan(shown.length);
  expect(content[0].text).toContain("the end");
}, { files: { long: `${"0123456789".repeat(90)}\n`.repeat(250) + "the end\n" } });

pageTest(
  "the permissions page has the smallest flags, presets and a proposed set",
  async (page, { root, errors }) => {
    await runCall(page, "Read", { file_path: `${root}/a` });
    await go(page, "#/permissions");
    const flags = () => page.innerText("#flags");
    await page.waitForSelector("#minimal");
    await page.click("text=Try only these");
    expect(await flags()).toBe(`--allow-read=${root}/a`);
    await page.waitForSelector(".needs .yes");
    await page.click("text=Code agent");
    await page.waitForSelector("#refused:has-text('--allow-write')");
    // The browser notes that the server refused the check.
    expect(errors.splice(0).join("\n")).toMatch(/^.* 400 .*$/);
    await page.click("text=Copy the command");
    expect(await copied(page)).toContain(`toolcall ui --allow-read=${root} --allow-write=${root}`);
    await page.click("text=Set: look");
    expect(await flags()).toBe(`--allow-read=${root}`);
    await page.click("text=All that the server allows");
    expect(await flags()).toBe(`--allow-read=${root} --allow-run=bash`);
    const proposed = JSON.parse(await page.innerText("#proposal pre"));
    expect(proposed).toEqual({ permissions: { proposed: { read: [`${root}/a`] } } });
  },
  {
    files: { a: "text\n", "toolcall.json": '{"permissions": {"look": {"read": ["."]}}}\n' },
    flags: ["--allow-run=bash"],
  },
);

/** Waits until the page has drawn what it does with a response. */
async function untilHandled(
  page: Page,
  coming: ReturnType<Page["waitForResponse"]>,
): Promise<void> {
  await (await coming).finished();
  // The first frame may already be under way.
  for (let frame = 0; frame < 3; frame++) {
    await page.evaluate("new Promise((next) => requestAnimationFrame(next))");
  }
}

pageTest(
  "paths are completed only inside of the directories that may be read",
  async (page, { root }) => {
    // The completions of the empty field come after those of the text.
    const { promise: filled, resolve: fill } = Promise.withResolvers<void>();
    await page.route(/paths\?prefix=$/, async (route) => {
      await filled;
      await route.continue();
    });
    const late = page.waitForResponse(/paths\?prefix=$/);
    await go(page, "#/tools/Read");
    await page.waitForSelector("#field-file_path");
    await page.fill("#field-file_path", `${root}/no`);
    await page.waitForSelector(`datalist option[value="${root}/notes.txt"]`, { state: "attached" });
    fill();
    await untilHandled(page, late);
    const found = await page.evaluate(
      "[...document.querySelectorAll('#field-file_path-list option')].map(({ value }) => value)",
    );
    expect(found).toEqual([`${root}/node.txt`, `${root}/notes.txt`]);
    const outside = page.waitForResponse(/paths\?prefix=%2Fetc%2Fho$/);
    await page.fill("#field-file_path", "/etc/ho");
    await untilHandled(page, outside);
    expect(await page.locator("#field-file_path-list option").count()).toBe(0);
  },
  { files: { "notes.txt": "", "node.txt": "", "other.txt": "" } },
);

Deno.test({
  name: "page > the output of a task is shown while it runs",
  ignore,
  async fn() {
    using state = temporaryDirectory();
    await using server = await startPage([
      "--allow-run=bash,sleep",
      `--state-dir=${state.path}`,
    ]);
    await using opened = await openPage(server.url);
    const { page } = opened;
    await page.waitForSelector(".tool-row");
    await runCall(page, "Bash", { command: "echo begun; sleep 600", run_in_background: true });
    await go(page, "#/tasks");
    await page.click("button:has-text('Output')");
    await page.waitForSelector(".cards-list pre:has-text('begun')");
    await page.click("button:has-text('Stop')");
    await page.waitForSelector(".badge.bad:has-text('stopped')");
  },
});

pageTest("the command for a client is copied", async (page) => {
  await go(page, "#/servers");
  await page.click("[aria-label='Copy the command for Cursor']");
  expect(await copied(page)).toBe("toolcall mcp install cursor --write --allow-read=.");
});

pageTest(
  "the keys j and k select the next and the previous tool, and Ctrl Shift Enter checks",
  async (page) => {
    const names = await page.locator(".tool-row b").allInnerTexts();
    const press = async (key: string, name: string) => {
      await page.keyboard.press(key);
      await page.waitForSelector(`.call h1 >> text=/^${name}$/`);
    };
    await press("j", names[0]!);
    await press("j", names[1]!);
    await press("j", names[2]!);
    await press("k", names[1]!);
    await openCall(page, "Grep", { pattern: "x" });
    await page.route(
      "**/api/check",
      (route) =>
        route.fulfill({
          json: { granted: true, needs: [{ name: "checked", granted: true, flag: "" }] },
        }),
    );
    await page.keyboard.press("Control+Shift+Enter");
    await page.waitForSelector(".needs:has-text('checked')");
  },
);

pageTest("no element is wider than a window of 360 pixels", async (page, { root }) => {
  await page.setViewportSize({ width: 360, height: 780 });
  await runCall(page, "Read", { file_path: `${root}/${"a".repeat(120)}` });
  const routes = [
    ...["tools/Read", "tools/TodoWrite", "permissions", "history", "tasks", "audit", "servers"],
    "doctor",
  ];
  for (const route of [...routes, "tools"]) {
    if (route !== "tools") await openRoute(page, route);
    else {
      await go(page, "#/tools");
      await page.waitForSelector(".tool-row", { state: "attached" });
    }
    const wide = await page.evaluate(`(() => {
      const scrolls = (element) => /auto|scroll|hidden/.test(getComputedStyle(element).overflowX);
      const inBox = (element) => element && element !== document.body &&
        (scrolls(element) && element.id !== "main" || inBox(element.parentElement));
      return [...document.querySelectorAll("body *")].filter((element) =>
        element.getBoundingClientRect().right > 361 && element.checkVisibility() &&
        !inBox(element.parentElement)).map((element) => element.outerHTML.slice(0, 100));
    })()`);
    expect({ route, wide }).toEqual({ route, wide: [] });
  }
}, { files: { ["a".repeat(120)]: `${"long ".repeat(100)}${"word".repeat(100)}\n` } });

Deno.test({
  name: "page > a call is checked and cannot be run with --read-only",
  ignore,
  async fn() {
    await using server = await startPage(["--allow-read=.", "--read-only"]);
    await using opened = await openPage(server.url);
    const { page } = opened;
    await page.waitForSelector(".tool-row");
    await openCall(page, "Glob", { pattern: "*" });
    expect(await page.isDisabled("#run")).toBe(true);
    await page.keyboard.press("Control+Enter");
    // The check comes after a run that would have begun.
    const checked = page.waitForResponse("**/api/check");
    await page.keyboard.press("Control+Shift+Enter");
    await untilHandled(page, checked);
    expect(await page.locator("#result, .spinner").count()).toBe(0);
  },
});

Deno.test("page > an MCP server without a token has no page", async () => {
  await using server = await startPage(
    ["--allow-read=.", "--no-token"],
    ["mcp", "--http=127.0.0.1:0"],
  );
  for (const path of ["/", "/app.js", "/api/state", "/api/tools"]) {
    const response = await fetch(server.origin + path);
    await response.body?.cancel();
    expect({ path, status: response.status }).toEqual({ path, status: 404 });
  }
});
