/**
 * Draws a real terminal: runs `dist/toolcall` on a pseudo-terminal and writes the screen to
 * `docs/demo.svg`. With `--check` it writes nothing and fails if the picture has other texts than the
 * screen.
 */
import { fileURLToPath } from "node:url";
import xterm from "@xterm/headless";
import { parseArgs } from "@std/cli/parse-args";

const HELP = `Usage: deno run -A scripts/draw_terminal.ts [--check]

Runs dist/toolcall on a terminal and writes docs/demo.svg, a picture of its screen.

  --check  write nothing, and fail if the picture is out of date`;

/** The command lines, as a user types them. */
const COMMANDS = [
  "toolcall fs.read path=notes.md",
  "toolcall --allow-read=. fs.read path=notes.md",
  "toolcall --allow-read=. --allow-run=bash,cat Bash command='cat notes.md ../key.txt'",
  "toolcall check --allow-read=. Bash command='git push'",
];

/** The home directory that the picture shows. The real one has a path of the same length. */
const SHOWN_HOME = "/home/ada";

/** The files in the home directory. The commands run in the directory of the first one. */
const FILES = { "app/notes.md": "Call Ada about the release.\n", "key.txt": "A secret\n" };

const [COLUMNS, ROWS] = [88, 200];
const [CELL_WIDTH, CELL_HEIGHT, MARGIN, BAR] = [8.4, 19, 16, 34];

/** The colours of the terminal's palette that toolcall uses. */
const PALETTE: Readonly<Record<number, string>> = {
  1: "#ff7b72",
  2: "#3fb950",
  3: "#d29922",
  4: "#58a6ff",
  5: "#bc8cff",
  6: "#39c5cf",
};
const [FOREGROUND, SOFT] = ["#e6edf3", "#9198a1"];

const root = fileURLToPath(new URL("../", import.meta.url));

/** Text in one style, from a column of a line. */
interface Run {
  column: number;
  text: string;
  colour: string;
  isBold: boolean;
}

/** Creates a directory whose path is as long as the one that the picture shows. */
function makeHome(): string {
  for (;;) {
    const length = SHOWN_HOME.length - "/tmp/".length;
    const path = `/tmp/${crypto.randomUUID().replaceAll("-", "").slice(0, length)}`;
    try {
      Deno.mkdirSync(path, { mode: 0o700 });
      return path;
    } catch (error) {
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    }
  }
}

/** Runs the commands, and returns the lines of the screen. */
async function runOnTerminal(): Promise<Run[][]> {
  const home = makeHome();
  try {
    Deno.mkdirSync(`${home}/app`);
    for (const [name, text] of Object.entries(FILES)) {
      Deno.writeTextFileSync(`${home}/${name}`, text);
    }
    const lines = COMMANDS.flatMap((command, at) => [
      ...(at > 0 ? ["echo"] : []),
      `printf '\\033[2m$\\033[0m %s\\n' ${quoted(command)}`,
      command,
    ]);
    const setUp = ["toolcall --version > /dev/null", `stty cols ${COLUMNS} rows ${ROWS}`, "clear"];
    Deno.writeTextFileSync(`${home}/session.sh`, [...setUp, ...lines].join("\n"));
    const { stdout } = await new Deno.Command("script", {
      args: ["-qec", `bash '${home}/session.sh'`, "/dev/null"],
      cwd: `${home}/app`,
      env: {
        ...{ HOME: home, TERM: "xterm-256color", NO_COLOR: "" },
        PATH: `${root}dist:${Deno.env.get("PATH")}`,
      },
      stdin: "null",
      stderr: "inherit",
    }).output();
    const text = new TextDecoder().decode(stdout).replaceAll(home, SHOWN_HOME);
    return await screenOf(new TextEncoder().encode(text));
  } finally {
    Deno.removeSync(home, { recursive: true });
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The lines of a terminal that got these bytes, without the empty ones at the end. */
async function screenOf(bytes: Uint8Array): Promise<Run[][]> {
  const terminal = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });
  await new Promise<void>((done) => terminal.write(bytes, done));
  const { active } = terminal.buffer;
  const lines = Array.from({ length: active.length }, (_, at) => runsOf(active.getLine(at)!));
  while (lines.at(-1)?.length === 0) lines.pop();
  terminal.dispose();
  return lines;
}

/** The runs of one style in a line. */
function runsOf(line: xterm.IBufferLine): Run[] {
  const runs: Run[] = [];
  const length = line.translateToString(true).length;
  for (let column = 0; column < length; column++) {
    const cell = line.getCell(column)!;
    if (cell.getWidth() === 0) continue;
    const text = cell.getChars() || " ";
    const colour = cell.isDim()
      ? SOFT
      : cell.isFgPalette()
      ? PALETTE[cell.getFgColor() % 8] ?? FOREGROUND
      : FOREGROUND;
    const isBold = cell.isBold() !== 0;
    const last = runs.at(-1);
    if (last?.colour === colour && last.isBold === isBold) last.text += text;
    else runs.push({ column, text, colour, isBold });
  }
  return runs;
}

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const rounded = (value: number) => Math.round(value * 10) / 10;

/** The picture, as the text of an SVG file. */
function draw(lines: readonly Run[][]): string {
  const width = rounded(COLUMNS * CELL_WIDTH + 2 * MARGIN);
  const height = BAR + lines.length * CELL_HEIGHT + MARGIN;
  const texts = lines.flatMap((runs, at) =>
    runs.filter(({ text }) => text.trim() !== "").map(({ column, text, colour, isBold }) => {
      // SVG would drop blanks at the ends, and join several blanks.
      const start = column + text.length - text.trimStart().length;
      const shown = text.trim().replaceAll("  ", "\u00a0\u00a0");
      return `<text x="${rounded(MARGIN + start * CELL_WIDTH)}" ` +
        `y="${BAR + (at + 0.75) * CELL_HEIGHT}" ` +
        `textLength="${rounded([...shown].length * CELL_WIDTH)}" fill="${colour}"` +
        `${isBold ? ' font-weight="bold"' : ""}>${escaped(shown)}</text>`;
    })
  );
  const buttons = ["#ff5f57", "#febc2e", "#28c840"].map((colour, at) =>
    `<circle cx="${20 + at * 20}" cy="17" r="6" fill="${colour}"/>`
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" ` +
    'font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" ' +
    'role="img" aria-label="A terminal with calls of toolcall and their results">',
    "<!-- Written by scripts/draw_terminal.ts. Do not edit this file. -->",
    `<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>`,
    ...buttons,
    ...texts,
    "</svg>",
    "",
  ].join("\n");
}

/** The texts of a picture, without those about the sandbox layers of a machine. */
function wordsIn(picture: string): string {
  return [...picture.matchAll(/>([^<]+)<\/text>/g)].map(([, text]) => text!.trim())
    .filter((text) => !/kernel|seccomp|mounts/.test(text)).join("\n");
}

const flags = parseArgs(Deno.args, { boolean: ["check", "help"], alias: { help: "h" } });
const path = `${root}docs/demo.svg`;
if (flags.help) {
  Deno.stdout.writeSync(new TextEncoder().encode(`${HELP}\n`));
} else {
  const picture = draw(await runOnTerminal());
  if (!flags.check) {
    Deno.writeTextFileSync(path, picture);
  } else if (wordsIn(Deno.readTextFileSync(path)) !== wordsIn(picture)) {
    Deno.stderr.writeSync(
      new TextEncoder().encode(
        'docs/demo.svg is out of date. Draw it again: "deno run -A scripts/draw_terminal.ts"\n',
      ),
    );
    Deno.exit(1);
  }
}
