/**
 * Writes src/toolkit/search/file_types.json, the names of ripgrep's file types and the
 * globs of each, from ripgrep's own table: `deno run -A scripts/file_types.ts`.
 * A test fails when the file is out of date.
 */
import { rgPath } from "@vscode/ripgrep";

const { success, stdout } = await new Deno.Command(rgPath, {
  args: ["--no-config", "--type-list"],
}).output();
if (!success) throw new Error("Cannot list the file types: ripgrep failed");
const types = new TextDecoder().decode(stdout).trimEnd().split("\n").map((line) => {
  const [name, globs] = line.split(": ");
  return [name, globs!.split(", ").join(" ")];
});
await Deno.writeTextFile(
  new URL("../src/toolkit/search/file_types.json", import.meta.url),
  `${JSON.stringify(Object.fromEntries(types), null, 2)}\n`,
);
