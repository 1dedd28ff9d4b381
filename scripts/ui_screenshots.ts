/**
 * Makes pictures of every page of `toolcall ui`, light and dark, at three widths, and one sheet of
 * them for each page.
 */
import { chromium } from "playwright-core";
import { parseArgs } from "@std/cli/parse-args";
import { executable } from "../tests/support/executable.ts";
import { startPage } from "../tests/support/ui_page.ts";

const WIDTHS = [360, 1024, 1600];
const ROUTES: readonly [name: string, route: string][] = [
  ["tools", "tools/Grep"],
  ...["permissions", "history", "tasks", "audit", "servers", "doctor"].map(
    (name): [string, string] => [name, name],
  ),
];

const { out = "dist/ui", only, scale = "1" } = parseArgs(Deno.args, {
  string: ["out", "only", "scale"],
});
/** Whether a picture is wanted: `--only` lists names such as `history-dark-1024`. */
const isWanted = (picture: string) => only === undefined || only.split(",").includes(picture);
Deno.mkdirSync(out, { recursive: true });
const directory = Deno.makeTempDirSync({ prefix: "demo-" });
Deno.writeTextFileSync(`${directory}/notes.txt`, "TODO: write the tests\nThis line is done.\n");
Deno.writeTextFileSync(`${directory}/plan.md`, "# Plan\n\nTODO: look at each picture\n");
const config = {
  permissions: { look: { read: ["."] } },
  mcpServers: { files: { command: executable, args: ["mcp", "--allow-read=."] } },
};
Deno.writeTextFileSync(`${directory}/toolcall.json`, JSON.stringify(config));
const log = Deno.makeTempDirSync({ prefix: "demo-log-" });
const flags = [
  `--root=${directory}`,
  `--allow-read=${directory}`,
  "--allow-run=bash,ls,sleep",
  "--allow-mcp=files",
];
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
        ["Bash", { command: "ls; sleep 9", run_in_background: true }],
        ["Bash", { command: "ls", run_in_background: true }],
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
if (only === undefined) {
  for (const [name] of ROUTES) await drawSheet(name);
}
await browser.close();

/** Draws one picture of all pictures of a page, which is small enough for the documentation. */
async function drawSheet(name: string): Promise<void> {
  const sheet = await browser.newPage({ viewport: { width: 1460, height: 900 } });
  const rows = ["light", "dark"].map((scheme) => {
    const pictures = WIDTHS.map((width) => {
      const bytes = Deno.readFileSync(`${out}/${name}-${scheme}-${width}.png`);
      return `<img src="data:image/png;base64,${bytes.toBase64()}">`;
    });
    return `<p>${pictures.join("")}</p>`;
  });
  const style =
    "body{margin:0;background:#888;width:max-content}p{margin:8px;display:flex;gap:8px}" +
    "img{height:420px}";
  await sheet.setContent(`<style>${style}</style>${rows.join("")}`);
  await sheet.screenshot({ path: `${out}/${name}.jpg`, type: "jpeg", quality: 72, fullPage: true });
  await sheet.close();
}
