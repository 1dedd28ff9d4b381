/** The page without a mouse: every control is reached by keys, shows its focus, and works. */
// tier: machine
import { expect } from "@std/expect";
import type { Page } from "playwright-core";
import { temporaryDirectory } from "../../../support/temporary_directory.ts";
import { isBrowserMissing, openPage, startPage } from "../../../support/ui_page.ts";
import { until } from "../../../support/wait.ts";
import { openRoute } from "./routes.ts";

const ignore = isBrowserMissing();

const link = (name: string, args: unknown) =>
  `#/tools/${name}?args=${encodeURIComponent(JSON.stringify(args))}`;

const go = (page: Page, hash: string) => page.evaluate(`location.hash = ${JSON.stringify(hash)}`);

/** The pages. */
const ROUTES = [
  ...["tools/Grep", "tools/TodoWrite", "permissions", "history", "tasks", "audit", "servers"],
  "doctor",
];

/** Notes each element that gets a handler of clicks. Runs before the page. */
const NOTE_HANDLERS = `{
  const { addEventListener } = EventTarget.prototype;
  window.clickable = new Set();
  EventTarget.prototype.addEventListener = function (type, ...rest) {
    if (/^(click|mousedown|pointerdown)$/.test(type)) window.clickable.add(this);
    return addEventListener.call(this, type, ...rest);
  };
}`;

/**
 * Numbers each control that is shown, and returns what each is. A control that is only reached by
 * the arrow keys, such as another button of a radio group, is left to the one that Tab reaches. An
 * element with a handler of clicks that no key reaches is returned as `mouse`.
 */
const NUMBER_CONTROLS = `(() => {
  const shown = (element) => element.checkVisibility({ visibilityProperty: true }) &&
    element.getClientRects().length > 0;
  const controls = [...document.querySelectorAll(
    "a[href], button, input, select, textarea, summary, [tabindex]",
  )].filter((element) => shown(element) && !element.disabled);
  const describe = (element) => element.outerHTML.slice(0, 120);
  const rows = [...document.querySelectorAll(".tool-row")];
  const byTab = controls.filter((element) => element.tabIndex >= 0 &&
    !(element.type === "radio" && !element.checked &&
      document.querySelector("input[type=radio][name='" + element.name + "']:checked")) &&
    // The list draws its further rows when it scrolls.
    rows.indexOf(element) < 10);
  byTab.forEach((element, at) => element.dataset.control = at);
  const isReached = (element) => element.closest("a[href], button, input, select, textarea, summary, label") ||
    element.tabIndex >= 0;
  const mouse = [...window.clickable].filter((element) =>
    element instanceof HTMLElement && element.isConnected && element !== document.body &&
    shown(element) && !isReached(element)).map(describe);
  const roving = controls.filter((element) => element.tabIndex < 0 &&
    !element.closest("[role=tablist], [role=radiogroup], [role=listbox]")).map(describe);
  return { controls: byTab.map(describe), mouse, roving };
})()`;

/** The number of the control with the focus, and whether a user sees that it has the focus. */
const FOCUSED = `(() => {
  const element = document.activeElement;
  const style = getComputedStyle(element);
  const isSeen = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0 ||
    style.boxShadow !== "none";
  return { control: element.dataset.control, isSeen, html: element.outerHTML.slice(0, 120) };
})()`;

interface Focused {
  control?: string;
  isSeen: boolean;
  html: string;
}

Deno.test({
  name: "keyboard > Tab reaches every control of every page, and each shows its focus",
  ignore,
  async fn() {
    using root = temporaryDirectory();
    Deno.writeTextFileSync(`${root.path}/a.txt`, "text\n");
    await using server = await startPage([`--root=${root.path}`, `--allow-read=${root.path}`]);
    await using opened = await openPage("about:blank");
    const { page } = opened;
    await page.addInitScript(NOTE_HANDLERS);
    await page.goto(server.url);
    await page.waitForSelector(".tool-row");
    expect(await page.evaluate("window.clickable.size")).toBeGreaterThan(10);
    await go(page, link("Read", { file_path: `${root.path}/a.txt` }));
    await page.waitForSelector(".permission .badge.good");
    await page.keyboard.press("Control+Enter");
    await page.waitForSelector("#result");
    for (const route of ROUTES) {
      await openRoute(page, route);
      let { count, ...faults } = await pressTabs(page);
      // A page that changes during the presses is tried again.
      await until(async () => {
        if (Object.values(faults).every(({ length }) => length === 0)) return true;
        ({ count, ...faults } = await pressTabs(page));
        return false;
      });
      expect({ route, ...faults })
        .toEqual({ route, mouse: [], roving: [], missing: [], unseen: [] });
      expect(count).toBeGreaterThan(8);
    }
  },
});

/** Presses Tab until every control was reached. Returns how many there are, and the faults. */
async function pressTabs(page: Page) {
  const { controls, mouse, roving } = await page.evaluate(NUMBER_CONTROLS) as {
    controls: string[];
    mouse: string[];
    roving: string[];
  };
  const reached = new Set<number>();
  const unseen: string[] = [];
  await page.evaluate("document.activeElement?.blur()");
  for (let count = 0; count < controls.length + 60; count++) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate(FOCUSED) as Focused;
    if (focused.control === undefined) continue;
    reached.add(Number(focused.control));
    if (!focused.isSeen) unseen.push(focused.html);
    if (reached.size === controls.length) break;
  }
  const missing = controls.filter((_, at) => !reached.has(at));
  return { count: controls.length, mouse, roving, missing, unseen };
}

/** The most controls that Tab passes on the way to another. */
const MAX_TABS = 150;

/** Presses Tab until a control that matches has the focus, and then a key. */
async function press(page: Page, selector: string, key = "Enter"): Promise<void> {
  const isThere = `document.activeElement.matches(${JSON.stringify(selector)})`;
  for (let count = 0; !await page.evaluate(isThere); count++) {
    if (count === MAX_TABS) throw new Error(`Tab does not reach "${selector}"`);
    await page.keyboard.press("Tab");
  }
  if (key !== "") await page.keyboard.press(key);
}

/** Each step of a user without a mouse, and an element that shows that it worked. */
type Step = readonly [action: string, act: (page: Page) => Promise<unknown>, shown: string];

const steps = (file: string): Step[] => [
  ["go to a page by its number", (page) => page.keyboard.press("6"), "h1:has-text('Servers')"],
  ["search for a tool", async (page) => {
    await page.keyboard.press("/");
    await page.waitForSelector("#search:focus");
    await page.keyboard.type("Read");
    await page.keyboard.press("Enter");
  }, ".call h1:has-text('Read')"],
  ["clear the search", async (page) => {
    await press(page, "#search", "Control+A");
    await page.keyboard.press("Delete");
    await press(page, ".tool-row", "");
  }, ".tool-row:focus"],
  ["fill in a field", async (page) => {
    await press(page, "#field-file_path", "");
    await page.keyboard.type(file);
  }, ".permission .badge.good"],
  ["run the call", (page) => page.keyboard.press("Control+Enter"), "#result"],
  ["choose a tab of the result", (page) => press(page, "[role=tab]:nth-child(2)"), "#result pre"],
  ["open the forms of a copy", (page) => press(page, "summary"), "details[open] #copy-text"],
  [
    "choose another form",
    (page) => press(page, "details button[aria-pressed=false]"),
    "#copy-text",
  ],
  ["mark a favourite", (page) => press(page, "[aria-label^='Favourite']"), ".tool-row"],
  ["open the help", async (page) => {
    await press(page, "#main", "");
    await page.keyboard.press("?");
  }, "dialog[open]"],
  ["close the help", (page) => page.keyboard.press("Escape"), "#main:focus"],
  ["go to the permissions", (page) => page.keyboard.press("2"), "#flags"],
  ["choose a preset", (page) => press(page, ".preset:nth-child(2)", "Space"), "#flags"],
  ["see that nothing is allowed", () => Promise.resolve(), ".needs .no"],
  ["grant what a call needs", (page) => press(page, ".needs button"), ".needs .yes"],
  ["deny a value", async (page) => {
    await press(page, "[aria-label*='env' i], [aria-label*='variable' i]", "");
    await page.keyboard.type("HOME");
    await press(page, "button:is(:not([type=submit]))", "Space");
  }, ".chip.deny"],
  ["remove the chip", (page) => press(page, ".chip.deny button", "Space"), "#flags"],
  ["go to the history", async (page) => {
    await press(page, "#main, #flags", "");
    await page.keyboard.press("3");
  }, ".line"],
  ["pin a call", (page) => press(page, "[aria-label^='Pin']"), "[aria-label^='Unpin']"],
  ["open a call", (page) => press(page, ".line-main"), "#result"],
  ["replay it", (page) => press(page, "button.primary"), ".call h1:has-text('Read')"],
];

Deno.test({
  name: "keyboard > a user finds a tool, runs it, copies the call, narrows it and replays it",
  ignore,
  async fn() {
    using root = temporaryDirectory();
    const file = `${root.path}/a.txt`;
    Deno.writeTextFileSync(file, "text\n");
    await using server = await startPage([`--root=${root.path}`, `--allow-read=${root.path}`]);
    await using opened = await openPage(server.url);
    const { page, errors } = opened;
    await page.waitForSelector(".tool-row");
    for (const [action, act, shown] of steps(file)) {
      await act(page);
      const isShown = await page.waitForSelector(shown).catch(() => undefined);
      const focus = (await page.evaluate(FOCUSED) as Focused).html;
      expect({ action, shown, focus, isShown: isShown !== undefined })
        .toEqual({ action, shown, focus, isShown: true });
    }
    expect(errors).toEqual([]);
  },
});

Deno.test({
  name: "keyboard > Escape cancels a call, and Stop ends a task",
  ignore,
  async fn() {
    using state = temporaryDirectory();
    await using server = await startPage(["--allow-run=bash,sleep", `--state-dir=${state.path}`]);
    await using opened = await openPage(server.url);
    const { page } = opened;
    await page.waitForSelector(".tool-row");
    await go(page, link("Bash", { command: "sleep 600" }));
    await page.waitForSelector(".permission .badge.good");
    await page.keyboard.press("Control+Enter");
    await page.waitForSelector("#cancel");
    await page.keyboard.press("Escape");
    await page.waitForSelector("#result:has-text('cancel')");
    await go(page, link("Bash", { command: "sleep 600", run_in_background: true }));
    await page.waitForSelector(".permission .badge.good");
    await page.keyboard.press("Control+Enter");
    await page.waitForSelector("#result:has-text('task')");
    await go(page, "#/tasks");
    await page.waitForSelector("button:has-text('Stop')");
    await page.evaluate("document.activeElement?.blur()");
    await press(page, ".page .panel button.danger");
    await page.waitForSelector(".badge.bad:has-text('stopped')");
  },
});
