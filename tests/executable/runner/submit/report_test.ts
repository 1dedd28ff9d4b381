/** The report of a submission, and its figures at a terminal. */
// tier: machine
import { expect } from "@std/expect";
import { executable, temporaryDirectory, toolcall } from "../../../support/executable.ts";
import { isBrowserMissing, openPage } from "../../../support/ui_page.ts";
import { has } from "../../../support/programs.ts";

const lines = (root: string) =>
  [
    ...Array(7).fill({ name: "Read", arguments: { file_path: `${root}/a.txt` } }),
    ...Array(2).fill({ name: "Read", arguments: { file_path: "/etc/hosts" } }),
    { name: "<script>hit()</script>", arguments: {} },
  ].map((call) => `${JSON.stringify(call)}\n`).join("") + "no call\n";

function directoryWithFile() {
  const directory = temporaryDirectory();
  Deno.writeTextFileSync(`${directory.path}/a.txt`, "text\n");
  return directory;
}

/** The cells of the row that begins with this text. */
const rowOf = (page: string, name: string) =>
  page.split("<tr>").map((row) => [...row.matchAll(/<td>(.*?)<\/td>/g)].map(([, cell]) => cell))
    .find(([first]) => first === name);

Deno.test("submit > --report counts the calls by tool and the failures by code", async () => {
  using root = directoryWithFile();
  const report = `${root.path}/report.html`;
  const run = await toolcall(["submit", `--allow-read=${root.path}`, `--report=${report}`], {
    stdin: lines(root.path),
  });
  expect([run.code, run.stderr]).toEqual([1, ""]);
  const page = Deno.readTextFileSync(report);
  expect(page).toContain("11 calls, 4 failed, ");
  expect(rowOf(page, "Read")!.slice(0, 3)).toEqual(["Read", "9", "2"]);
  expect(rowOf(page, "&lt;script&gt;hit()&lt;/script&gt;")!.slice(1, 3)).toEqual(["1", "1"]);
  expect(rowOf(page, "(unreadable)")!.slice(1, 3)).toEqual(["1", "1"]);
  const codes = ["permission_denied", "tool_not_found", "malformed_call"];
  expect(codes.map((code) => rowOf(page, code)?.[1])).toEqual(["2", "1", "1"]);
  expect(page).not.toContain("<script");
  expect(page).not.toMatch(/https?:\/\/|src=|href=/);
});

Deno.test("submit > the report adds up the tools after the first hundred, and replaces an older page", async () => {
  using root = directoryWithFile();
  const report = `${root.path}/report.html`;
  Deno.writeTextFileSync(report, "old");
  const stdin = Array.from({ length: 300 }, (_, at) => `{"name":"tool_${at}"}\n`).join("");
  const run = await toolcall(["submit", `--report=${report}`], { stdin });
  expect(run.code).toBe(1);
  const page = Deno.readTextFileSync(report);
  expect(page).toContain("300 calls, 300 failed, ");
  expect(rowOf(page, "(other tools)")![1]).toBe("200");
  expect([...Deno.readDirSync(root.path)].map(({ name }) => name).sort())
    .toEqual(["a.txt", "report.html"]);
});

Deno.test("submit > no call runs if the report cannot be written", async () => {
  using root = directoryWithFile();
  for (const report of [`${root.path}/missing/report.html`, root.path]) {
    const run = await toolcall(["submit", "-A", `--report=${report}`], {
      stdin: `{"name":"Write","arguments":{"file_path":"${root.path}/new","content":"x"}}\n`,
    });
    expect([run.code, run.stdout]).toEqual([2, ""]);
    expect(run.stderr).toContain(`Cannot write the report "${report}": `);
  }
  expect([...Deno.readDirSync(root.path)].length).toBe(1);
});

Deno.test({
  name: "submit > a browser shows the report without an error, in a narrow window too",
  ignore: isBrowserMissing(),
  async fn() {
    using root = directoryWithFile();
    const report = `${root.path}/report.html`;
    await toolcall(["submit", `--allow-read=${root.path}`, `--report=${report}`], {
      stdin: lines(root.path),
    });
    await using opened = await openPage(`file://${report}`);
    const { page, errors } = opened;
    expect(await page.locator("svg").count()).toBe(2);
    expect(await page.locator("svg rect").count()).toBeGreaterThan(9);
    await page.setViewportSize({ width: 360, height: 780 });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
    expect(errors).toEqual([]);
  },
});

Deno.test({
  name: "submit > a terminal shows the figures by tool at the end",
  ignore: !has("script"),
  async fn() {
    using root = directoryWithFile();
    Deno.writeTextFileSync(`${root.path}/calls`, lines(root.path));
    const command = `"${executable}" submit --allow-read=. <calls >results`;
    const { stdout } = await new Deno.Command("script", {
      ...{ args: ["-qec", command, "/dev/null"], cwd: root.path, stdin: "null" },
    }).output();
    const shown = new TextDecoder().decode(stdout);
    expect(shown).toMatch(/Tool +Calls +Failed +p50 +p99\r\n/);
    expect(shown).toMatch(/Read +9 +2 +[\d.]+ ms +[\d.]+ ms\r\n/);
  },
});
