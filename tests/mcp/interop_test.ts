/** MCP clients from npm, as `deno task interop` measures them. */
import { expect } from "@std/expect";
import { fileURLToPath } from "node:url";
import "../support/executable.ts";

/** The longest that the clients may take, downloads included, in milliseconds. */
const LIMIT_MS = 900_000;

Deno.test("interop > no client has a cell that fails only with toolcall", async () => {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "scripts/interop.ts", "--libraries"],
    cwd: fileURLToPath(new URL("../../", import.meta.url)),
    stdin: "null",
    signal: AbortSignal.timeout(LIMIT_MS),
  }).output();
  const [table, told] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)) as [
    string,
    string,
  ];
  // deno-lint-ignore no-console -- The table, and the clients that npm cannot install, have to be seen.
  console.log(`${table}\n${told.split("\n").filter((line) => line.startsWith("Not")).join("\n")}`);
  const rows = table.split("\n").filter((line) => /^\|.*[✓–✗?]/.test(line));
  expect({ code, red: rows.filter((row) => row.includes("✗")) }).toEqual({ code: 0, red: [] });
  expect(rows.length).toBe(10);
  // The official SDK has no limits of its own.
  const sdk = rows.find((row) => row.includes("MCP SDK 2"))!;
  if (!sdk.includes("?")) expect(sdk.match(/✓/g)!.length).toBe(9);
});
