/**
 * Makes pictures of every page of `toolcall ui`, light and dark, at three widths, and one sheet of
 * them for each page. The calls, the server and the worker are real. They run in a directory of
 * their own, so that no picture shows a path of this machine.
 */
import { chromium, type Page } from "playwright-core";
import { parseArgs } from "@std/cli/parse-args";
import { executable } from "../tests/support/executable.ts";
import { NatsServer, RunningWorker } from "../tests/support/nats_server.ts";
import { chromiumPath, startPage } from "../tests/support/ui_page.ts";

/** The directory of all files that the pictures show. */
const PLACE = "/tmp/ada";
const WIDTHS = [360, 1024, 1600];
const SCHEMES = ["light", "dark"] as const;
/** The pages, each with a selector that matches when the page is complete. */
const PAGES: readonly [name: string, ready: string][] = [
  ["tools", "#result"],
  ["permissions", ".layers"],
  ["history", ".plot canvas"],
  ["tasks", ".bar"],
  ["audit", ".line"],
  ["servers", ".grid-list .panel"],
  ["doctor", ".grid-list .panel"],
  ["workers", ".cards-list td"],
];

const { out = "dist/ui", only } = parseArgs(Deno.args, { string: ["out", "only"] });
/** Whether a picture is wanted: `--only` lists names such as `history-dark-1024`. */
const isWanted = (picture: string) => only === undefined || only.split(",").includes(picture);
Deno.mkdirSync(out, { recursive: true });

// This fails if the path exists already, because other files must not be removed.
Deno.mkdirSync(PLACE);
await using stack = new AsyncDisposableStack();
stack.defer(() => Deno.removeSync(PLACE, { recursive: true }));
for (const name of ["bin", "notes", "logs"]) Deno.mkdirSync(`${PLACE}/${name}`);
const program = `${PLACE}/bin/toolcall`;
Deno.copyFileSync(executable, program);
Deno.writeTextFileSync(`${PLACE}/notes/todo.txt`, "TODO: write the tests\nThis line is done.\n");
Deno.writeTextFileSync(`${PLACE}/notes/plan.md`, "# Plan\n\nTODO: look at each picture\n");
Deno.writeTextFileSync(
  `${PLACE}/notes/toolcall.json`,
  JSON.stringify(
    {
      permissions: { look: { read: ["."] } },
      mcpServers: { files: { command: program, args: ["mcp", "--allow-read=."] } },
    },
    null,
    2,
  ),
);
const environment = { HOME: PLACE, XDG_STATE_HOME: "", XDG_CACHE_HOME: "", TOOLCALL_CACHE_DIR: "" };
for (const [name, value] of Object.entries(environment)) {
  if (value === "") Deno.env.delete(name);
  else Deno.env.set(name, value);
}
const cwd = `${PLACE}/notes`;
const nats = stack.use(await NatsServer.start());
stack.use(await RunningWorker.start(nats.url, [`--root=${cwd}`, `--allow-read=${cwd}`], { cwd }));
const server = stack.use(
  await startPage(
    [
      `--root=${cwd}`,
      `--allow-read=${cwd}`,
      "--allow-run=bash,ls,sleep",
      "--allow-mcp=files",
      `--audit=${PLACE}/logs/audit.jsonl`,
      `--nats=${nats.url}`,
    ],
    ["ui", "--no-open"],
    { program, cwd },
  ),
);
const browser = await chromium.launch({
  executablePath: chromiumPath!,
  args: ["--no-sandbox", "--headless"],
});
stack.defer(() => browser.close());

/** The calls that the pictures show. The page Tools shows the last one. */
const CALLS = [
  ["Read", { file_path: `${cwd}/todo.txt` }],
  ["Read", { file_path: "/etc/hosts" }],
  ["Glob", { pattern: "*" }],
  ["Bash", { command: "ls; sleep 9", run_in_background: true }],
  ["Bash", { command: "ls", run_in_background: true }],
  ["Grep", { pattern: "TODO", path: cwd, output_mode: "content" }],
] as const;

for (const path of [cwd, cwd, `${PLACE}/nothing`]) {
  const call = JSON.stringify({ pattern: "*", path });
  await new Deno.Command(program, {
    args: ["call", `--nats=${nats.url}`, "Glob", call],
    ...{ stdin: "null", stdout: "null", stderr: "null" },
  }).output();
}
for (const scheme of SCHEMES) {
  for (const width of WIDTHS) {
    const wanted = PAGES.filter(([name]) => isWanted(`${name}-${scheme}-${width}`));
    if (wanted.length === 0) continue;
    const page = await browser.newPage({
      viewport: { width, height: width === 360 ? 780 : 900 },
      colorScheme: scheme,
      locale: "en-GB",
    });
    await page.goto(server.url);
    await page.waitForSelector(".top");
    for (const [name, args] of CALLS) await runCall(page, name, args);
    for (const [name, ready] of wanted) {
      // The page Tools is open already, with its result.
      if (name !== "tools") await page.evaluate(`location.hash = "/${name}"`);
      await page.waitForSelector(ready);
      await page.waitForTimeout(700);
      await page.evaluate(
        `for (const each of document.querySelectorAll("*")) each.scrollTo(0, 0); scrollTo(0, 0);`,
      );
      await page.screenshot({ path: `${out}/${name}-${scheme}-${width}.png` });
    }
    await page.close();
  }
}
if (only === undefined) {
  for (const [name] of PAGES) await drawSheet(name);
}

/** Runs a call on the page. */
async function runCall(page: Page, name: string, args: unknown): Promise<void> {
  const link = `/tools/${name}?args=${encodeURIComponent(JSON.stringify(args))}`;
  await page.evaluate(`location.hash = ${JSON.stringify(link)}`);
  await page.waitForSelector(`.call h1 >> text=/^${name}$/`);
  await page.waitForSelector(".permission .badge");
  await page.click("#run");
  await page.waitForSelector("#result");
}

/** Joins the pictures of a page into one that is small enough for the documentation. */
async function drawSheet(name: string): Promise<void> {
  const sheet = await browser.newPage({ viewport: { width: 1460, height: 900 } });
  const rows = SCHEMES.map((scheme) => {
    const pictures = WIDTHS.map((width) => {
      const bytes = Deno.readFileSync(`${out}/${name}-${scheme}-${width}.png`);
      return `<img src="data:image/png;base64,${bytes.toBase64()}">`;
    });
    return `<p>${pictures.join("")}</p>`;
  });
  const style =
    "body{margin:0;padding:8px;background:#888;width:max-content;display:grid;gap:8px}" +
    "p{margin:0;display:flex;gap:8px}img{height:420px}";
  await sheet.setContent(`<style>${style}</style>${rows.join("")}`);
  const body = sheet.locator("body");
  await body.screenshot({ path: `${out}/${name}.jpg`, type: "jpeg", quality: 60 });
  await sheet.close();
}
