/** Two versions of the program that use one store at the same time. */
import { expect } from "@std/expect";
import { Database } from "../../../../src/runner/state/database.ts";
import { migrations } from "../../../../src/runner/state/migrations.ts";
import { temporaryDirectory } from "../../../support/temporary_directory.ts";
import { until } from "../../../support/wait.ts";

/** The schema of the next version: it renames a table that this version writes. */
const NEXT = [...migrations, [
  "ALTER TABLE value RENAME TO entry",
  "ALTER TABLE entry RENAME COLUMN value TO text",
]];

const module = (name: string) => new URL(`../../../../src/runner/state/${name}`, import.meta.url);

/**
 * A process of this version. It writes rows until it is refused. It prints a line after the first
 * row, and at the end how many it wrote, with the refusal.
 */
function startOlder(path: string, id: number) {
  const code = `
    const { Database } = await import("${module("database.ts").href}");
    const database = new Database(${JSON.stringify(path)});
    let count = 0;
    try {
      for (;; count++) {
        const row = ["older ${id}", String(count)];
        database.run("INSERT INTO value VALUES ('x', ?, ?, '', NULL)", ...row);
        if (count === 0) console.log("ready");
        // SQLite has no queue of writers: without a pause, one process could wait for the others too long.
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    } catch (error) {
      console.log(JSON.stringify({ count, code: error.code, message: error.message }));
    }
  `;
  return new Deno.Command(Deno.execPath(), {
    args: ["eval", "--no-lock", code],
    cwd: new URL("../../../../", import.meta.url),
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
}

Deno.test("store > older versions that write are refused after a newer one migrates, and no row is lost", async () => {
  using directory = temporaryDirectory();
  const path = `${directory.path}/state.db`;
  new Database(path, migrations.slice(0, 1)).close();
  const older = [1, 2, 3].map((id) => startOlder(path, id));
  const outputs = older.map(({ stdout }) => stdout.pipeThrough(new TextDecoderStream()));
  const readers = outputs.map((output) => output.getReader());
  const first = await Promise.all(readers.map((reader) => reader.read()));
  expect(first.map(({ value }) => value!.startsWith("ready"))).toEqual([true, true, true]);
  // Each of them has written some rows, and continues.
  const reader = new Database(path);
  const count = "SELECT count(*) AS n FROM value GROUP BY session";
  const written = () => reader.rows(count).map(({ n }) => Number(n));
  expect(await until(() => written().filter((n) => n > 10).length === older.length)).toBe(true);
  reader.close();
  const newer = new Database(path, NEXT);
  newer.run("INSERT INTO entry VALUES ('x', 'newer', '0', '', NULL)");
  const texts = await Promise.all(readers.map(async (reader, at) => {
    let text = first[at]!.value!;
    for (let next = await reader.read(); !next.done; next = await reader.read()) text += next.value;
    return text;
  }));
  const ends = texts.map((text) => JSON.parse(text.split("\n")[1]!));
  for (const { code, message, count } of ends) {
    expect(code).toBe("unavailable");
    expect(message).toContain("a newer version of toolcall wrote it");
    expect(count).toBeGreaterThan(0);
  }
  const rows = newer.rows("SELECT session, count(*) AS n FROM entry GROUP BY session ORDER BY 1");
  const counts = rows.map(({ session, n }) => [session, n]);
  expect(counts).toEqual([
    ["newer", 1],
    ...ends.map(({ count }, at) => [`older ${at + 1}`, count]),
  ]);
  newer.close();
  await Promise.all(older.map(({ status }) => status));
});

Deno.test("store > a migration that fails leaves the file unchanged", () => {
  using directory = temporaryDirectory();
  const path = `${directory.path}/state.db`;
  new Database(path).close();
  const broken = [...migrations, ["CREATE TABLE extra (a)", "CREATE TABLE value (a)"]];
  expect(() => new Database(path, broken)).toThrow();
  const database = new Database(path);
  expect(database.rows("SELECT name FROM sqlite_schema WHERE name = 'extra'")).toEqual([]);
  database.close();
});
