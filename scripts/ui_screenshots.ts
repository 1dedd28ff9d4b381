/** Makes pictures of every page of `toolcall ui`: light and dark, at three widths. */
import { chromium } from "playwright-core";
import { parseArgs } from "@std/cli/parse-args";
import { startPage } from "../tests/support/ui_page.ts";

const WIDTHS = [360, 1024, 1600];
const ROUTES: readonly [name: string, route: string][] = [
  ["tools", "tools/Grep"],
  ...["permissions", "history", "tasks", "audit", "servers", "doctor"].map(
    (name): [string, string] => [name, name],
  ),
];

const { out = "docs/ui", only, scale = "1" } = parseArgs(Deno.args, {
  string: ["out", "only", "scale"],
});
/** Whether a picture is wanted: `--only` lists names such as `history-dark-1024`. */
const isWanted = (picture: string) => only === undefined || only.split(",").includes(picture);
Deno.mkdirSync(out, { recursive: true });
const directory = Deno.makeTempDirSync({ prefix: "demo-" });
Deno.writeTextFileSync(`${directory}/notes.txt`, "TODO: write the tests\nThis line is done.\n");
Deno.writeTextFileSync(`${directory}/plan.md`, "# Plan\n\nTODO: look at each picture\n");
Deno.writeTextFileSync(`${directory}/toolcall.json`, '{"permissions":{"look":{"read":["."]}}}');
const log = Deno.makeTempDirSync({ prefix: "demo-log-" });
const flags = [`--root=${directory}`, `--allow-read=${directory}`, "--allow-run=bash,ls"];
await using server = await startPage([...flags, `--audit=${log}/audit.jsonl`]);
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--headless"],
});
for (const scheme of ["light", "dark"] as const) {
  for (const width of WIDTHS) {
    if (!ROUTES.some(([name]) => isWanted(`${name}-${scheme}-${width}`))) continue;
    const page = await browser.newPage({
      deviceScaleFactor: Number(scale),
      viewport: { width, height: width === 360 ? 780 : 900 },
      colorScheme: scheme,
    });
    await page.goto(server.url);
    await page.waitForSelector(".top");
    for (
      const [name, args] of [
        ["Grep", { pattern: "TODO", path: directory, output_mode: "content" }],
        ["Read", { file_path: `${directory}/notes.txt` }],
        ["Read", { file_path: "/etc/hosts" }],
        ["Glob", { pattern: "*" }],
        ["Grep", { pattern: "TODO", path: directory, output_mode: "content" }],
      ] as const
    ) {
      await page.evaluate(
        `location.hash = ${
          JSON.stringify(`/tools/${name}?args=${encodeURIComponent(JSON.stringify(args))}`)
        }`,
      );
      await page.waitForSelector("#run");
      await page.waitForTimeout(300);
      await page.click("#run");
      await page.waitForSelector("#result");
    }
    for (const [name, route] of ROUTES) {
      if (!isWanted(`${name}-${scheme}-${width}`)) continue;
      if (name !== "tools") await page.evaluate(`location.hash = "/${route}"`);
      else await page.evaluate(`scrollTo(0, 0)`);
      await page.waitForTimeout(700);
      if (name === "doctor" || name === "servers") {
        await page.waitForSelector(name === "doctor" ? ".notice" : ".grid-list .panel");
      }
      await page.screenshot({ path: `${out}/${name}-${scheme}-${width}.png` });
    }
    await page.close();
  }
}
await browser.close();
