/** The help fits every terminal, and names every command and flag. */
import { fileURLToPath } from "node:url";
import { expect } from "@std/expect";
import { CALL_COMMANDS } from "../../../../src/runner/cli/flag.ts";
import { flags } from "../../../../src/runner/cli/flags.ts";
import { commandNames, helpText, helpTopics } from "../../../../src/runner/cli/print/help.ts";
import { atTerminal } from "../../../support/at_terminal.ts";
import { onTerminal, withoutColors } from "../../../support/on_terminal.ts";
import { hasTerminals } from "../../../support/pseudo_terminal.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));

for (const columns of [60, 80, 120]) {
  Deno.test({
    name: `help > no page is wider than ${columns} columns, and no word is broken`,
    ignore: !hasTerminals,
    fn: async () => {
      const pages = ["", "check", "mcp", "permissions", "exit-codes"];
      for (const page of pages) {
        const args = ["help", ...(page === "" ? [] : [page])];
        const { code, lines, broken, written } = await onTerminal(args, { columns });
        expect({ page, code, broken }).toEqual({ page, code: 0, broken: [] });
        expect(written).toContain("\x1b[");
        const plain = await onTerminal(args, { columns, env: { NO_COLOR: "1" } });
        expect(plain.written).not.toContain("\x1b[");
        expect(plain.lines).toEqual(lines);
        expect(withoutColors(written)).toBe(plain.written);
        if (columns !== 60 || page === "") continue;
        // The words are the same as on a wide terminal.
        const words = (text: readonly string[]) => text.join(" ").split(/\s+/).sort();
        const wide = await onTerminal(args, { columns: 100, env: { NO_COLOR: "1" } });
        const isExample = (word: string) => word === "#";
        expect(new Set(words(lines).filter((word) => !isExample(word))))
          .toEqual(new Set(words(wide.lines).filter((word) => !isExample(word))));
      }
    },
  });
}

Deno.test({
  name: "help > the short help has at most 24 lines of 80 columns and three examples",
  ignore: !hasTerminals,
  fn: async () => {
    const { lines } = await onTerminal(["help"], { columns: 80 });
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(lines.filter((line) => line.startsWith("  toolcall "))).toHaveLength(3);
    for (const name of commandNames) expect(lines.join("\n")).toContain(name);
    // A user who types only the name of the program sees the same.
    const bare = await atTerminal([], { columns: 80, env: { NO_COLOR: "1" } });
    expect(bare.code).toBe(0);
    expect(bare.lines).toEqual(lines);
  },
});

Deno.test("help > every command of the program has a page, and every page a command", () => {
  const source = Deno.readTextFileSync(`${root}src/runner/cli/main.ts`);
  const loaded = [...source.matchAll(/^ {2}\["([\w-]+)",/gm)].map(([, name]) => name!);
  // These are for child processes of this program only.
  const internal = ["run-task", "run-programs", "run-shell", "keep-server", "restore-patches"];
  expect(loaded.filter((name) => !internal.includes(name)).sort())
    .toEqual([...commandNames].sort());
  for (const { name, commands = [] } of flags) {
    const unknown = commands.filter((each) => ![...commandNames, ...internal].includes(each));
    expect({ name, unknown }).toEqual({ name, unknown: [] });
  }
  expect(CALL_COMMANDS).toContain("call");
});

Deno.test("help > the page of all commands names every flag, and every topic has a page", () => {
  const all = helpText("all")!;
  for (const { name } of flags) {
    if (name !== "help" && name !== "version") expect(all).toContain(`--${name}`);
  }
  for (const topic of helpTopics) expect(helpText(topic)).toContain(" ");
});
