// Writes src/search/file_types.ts from ripgrep's own table of file types:
// deno run -A scripts/file_types.ts
import { rgPath } from "@vscode/ripgrep";

const listed = await new Deno.Command(rgPath, { args: ["--no-config", "--type-list"] }).output();
if (!listed.success) throw new Error("Cannot list the file types: ripgrep failed");
const lines = new TextDecoder().decode(listed.stdout).trimEnd().split("\n");
const entries = lines.map((line) => {
  const [name, globs] = line.split(": ");
  return `  ["${name}", "${globs!.split(", ").join(" ")}"],`;
});
await Deno.writeTextFile(
  new URL("../src/search/file_types.ts", import.meta.url),
  `// Written by scripts/file_types.ts from \`rg --type-list\`. Do not edit.

/** ripgrep's file types: the name, and the globs of the file names, separated by spaces. */
export const FILE_TYPES: ReadonlyMap<string, string> = new Map([
${entries.join("\n")}
]);
`,
);
