/** MCP servers on the page: one is started there, and runs no code in the page. */
// tier: machine
import { fileURLToPath } from "node:url";
import { expect } from "@std/expect";
import { COUNT_HITS, hostileTexts } from "../../../support/hostile_texts.ts";
import { temporaryDirectory } from "../../../support/temporary_directory.ts";
import { isBrowserMissing, openPage, startPage } from "../../../support/ui_page.ts";
import { trustFile } from "../../../support/trust.ts";

const ignore = isBrowserMissing();
const hostile = fileURLToPath(
  new URL("../../../support/mcp/servers/hostile.ts", import.meta.url),
);

Deno.test({
  name: "page > a hostile MCP server is started, listed and called, and runs no code in the page",
  ignore,
  async fn() {
    using root = temporaryDirectory();
    const missing = `${root.path}/no-such-program`;
    const entry = { command: Deno.execPath(), args: ["run", "-A", "--no-config", hostile] };
    Deno.writeTextFileSync(
      `${root.path}/toolcall.json`,
      JSON.stringify({ mcpServers: { evil: entry, broken: { command: missing } } }),
    );
    trustFile(`${root.path}/toolcall.json`);
    await using server = await startPage([`--root=${root.path}`, "--allow-mcp=evil,broken"]);
    await using opened = await openPage("about:blank");
    const { page } = opened;
    await page.addInitScript(COUNT_HITS);
    await page.goto(`${server.origin}/#token=${server.token}`);
    await page.waitForSelector(".top");
    const scripts = await page.locator("script").count();
    await page.evaluate("location.hash = '#/servers'");
    await page.click(".cards-list .panel:has-text('broken') button:has-text('Start')");
    await page.waitForSelector(".cards-list [role=alert]:has-text('no-such-program')");
    await page.waitForSelector(".cards-list .panel:has-text('running'):has-text('100 tools')");
    await page.click("summary:has-text('stderr')");
    expect(await page.innerText(".cards-list details pre")).toContain("<object data=");
    // A server that runs has no line of its check any more, and its tools are in the list.
    expect(await page.innerText(".cards-list .panel:has-text('running')")).not.toContain(
      "--allow-",
    );
    await page.evaluate("location.hash = '#/tools'");
    await page.selectOption("[aria-label='Filter by group']", "server:evil");
    await page.waitForSelector(".count:has-text('100 of')");
    expect(await page.locator(".tool-row").count()).toBeGreaterThan(5);
    for (const at of hostileTexts.keys()) {
      await page.evaluate(`location.hash = '#/tools/mcp__evil__tool_${at}'`);
      await page.waitForSelector(`.call h1:has-text('mcp__evil__tool_${at}')`);
      // A name of a tool may be the start of another one's, so the heading is compared as a whole.
      await page.waitForSelector(`.call h1 >> text=/^mcp__evil__tool_${at}$/`);
      await page.waitForSelector(".permission .badge.good");
      await page.click("#run");
      await page.waitForSelector("#result");
      expect((await page.textContent("#result pre"))!.trimEnd()).toMatch(new RegExp(`${at}$`));
    }
    expect(await page.evaluate("window.hits")).toBe(0);
    expect(await page.locator("script").count()).toBe(scripts);
    const made = "iframe, object, base, link[href*=attacker], meta[http-equiv=refresh], main style";
    expect(await page.locator(made).count()).toBe(0);
    expect(page.url()).toContain(server.origin);
    await page.evaluate("location.hash = '#/doctor'");
    await page.waitForSelector(".code-lines");
    expect(await page.innerText("main")).toContain(`${root.path}/toolcall.json`);
  },
});
