/**
 * The screens that a user sees, as files: `tests/fixtures/screens/NAME.txt` has each one at three
 * widths, and once with its colors. TOOLCALL_UPDATE_SCREENS=1 writes the files anew.
 */
import { expect } from "@std/expect";
import { atTerminal } from "../../../support/at_terminal.ts";
import { has } from "../../../support/programs.ts";

const directory = new URL("../../../fixtures/screens/", import.meta.url);
const isUpdate = Deno.env.get("TOOLCALL_UPDATE_SCREENS") === "1";

/** Each screen, and its command line in a directory with the file `notes.md`. */
const screens: Readonly<Record<string, readonly string[]>> = {
  "help": [],
  "help-command": ["help", "submit"],
  "help-permissions": ["help", "permissions"],
  "unknown-command": ["lst"],
  "list": ["list", "--category=code"],
  "describe": ["describe", "fs.read"],
  "bundles": ["bundles"],
  "tasks": ["tasks"],
  "result": ["--allow-read=.", "fs.read", "path=notes.md"],
  "refused": ["fs.read", "path=notes.md"],
  "invalid": ["fs.read", "pth=notes.md"],
  "check-refused": ["check", "Bash", "command=ls | wc -l"],
  "check-granted": ["check", "fs.read", "path=notes.md", "--allow-read=."],
};

/** A directory whose path always has 15 characters, because line breaks depend on the length. */
function shortDirectory(): { path: string } & Disposable {
  const path = `/tmp/tc-${crypto.randomUUID().slice(0, 7)}`;
  Deno.mkdirSync(path, { mode: 0o700 });
  return { path, [Symbol.dispose]: () => Deno.removeSync(path, { recursive: true }) };
}

/** The text of a screen at all widths. */
async function shown(args: readonly string[]): Promise<string> {
  using place = shortDirectory();
  Deno.writeTextFileSync(`${place.path}/notes.md`, "# Notes\n\nOne line.\n");
  const env = { XDG_STATE_HOME: `${place.path}/state`, XDG_CONFIG_HOME: `${place.path}/config` };
  const scene = { cwd: place.path, env };
  const named = (text: string) => text.replaceAll(place.path, "/app");
  // The layers of the sandbox differ between machines.
  const same = (text: string) =>
    named(text).replaceAll(/( {2}sandbox {4}).*(?:\n {11}.*)*/g, "$1(the layers of this machine)");
  const parts: string[] = [];
  for (const columns of [60, 80, 120]) {
    const { lines, broken, code } = await atTerminal(args, { ...scene, columns });
    expect({ args, columns, broken }).toEqual({ args, columns, broken: [] });
    parts.push(`=== ${columns} columns, exit code ${code}`, same(lines.join("\n")));
    const plain = await atTerminal(args, {
      ...scene,
      columns,
      env: { ...env, NO_COLOR: "1" },
    });
    expect(plain.written).not.toContain("\x1b[");
    expect({ args, columns, lines: plain.lines }).toEqual({ args, columns, lines });
  }
  const { written } = await atTerminal(args, { ...scene, columns: 80 });
  const colored = same(written.replaceAll("\r", "")).replaceAll("\x1b", "<ESC>").trimEnd();
  return [...parts, "=== 80 columns, colours", colored, ""].join("\n");
}

Deno.test({
  name: "screens > each screen is as stored at 60, 80 and 120 columns, with and without colors",
  ignore: !has("script"),
  async fn(t) {
    for (const [name, args] of Object.entries(screens)) {
      await t.step(name, async () => {
        const text = await shown(args);
        const file = new URL(`${name}.txt`, directory);
        if (isUpdate) Deno.writeTextFileSync(file, text);
        // After an intended change, run this file with TOOLCALL_UPDATE_SCREENS=1 and read the diff.
        expect(text).toBe(Deno.readTextFileSync(file));
      });
    }
  },
});
