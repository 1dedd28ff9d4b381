/** MCP clients from npm, as `deno task interop` measures them. */
// tier: machine
import { expect } from "@std/expect";
import { fileURLToPath } from "node:url";
import "../support/executable.ts";

/** The time limit of the clients with their downloads, in milliseconds: it only ends a hung client. */
const LIMIT_MS = 3_600_000;

Deno.test("interop > no feature of a client fails only with toolcall", async () => {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "scripts/interop.ts", "--libraries"],
    cwd: fileURLToPath(new URL("../../", import.meta.url)),
    stdin: "null",
    signal: AbortSignal.timeout(LIMIT_MS),
  }).output();
  const [table, errors] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)) as [
    string,
    string,
  ];
  // deno-lint-ignore no-console -- The user must see the table, and the clients that npm cannot install.
  console.log(
    `${table}\n${errors.split("\n").filter((line) => line.startsWith("Not")).join("\n")}`,
  );
  const rows = table.split("\n").filter((line) => /^\|.*[✓–✗?]/.test(line));
  expect({ code, red: rows.filter((row) => row.includes("✗")) }).toEqual({ code: 0, red: [] });
  expect(rows.length).toBe(10);
  // The official SDK supports every feature.
  const sdk = rows.find((row) => row.includes("MCP SDK 2"))!;
  if (!sdk.includes("?")) expect(sdk.match(/✓/g)!.length).toBe(9);
});
