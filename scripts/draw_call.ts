/**
 * Draws the way of a call: writes `docs/call.svg` from the tables in this file. With `--check` it
 * writes nothing and fails when the picture differs from what it would write.
 */
import { fileURLToPath } from "node:url";
import { parseArgs } from "@std/cli/parse-args";

const HELP = `Usage: deno run -A scripts/draw_call.ts [--check]

Writes docs/call.svg, the picture of a call, from the tables in scripts/draw_call.ts.

  --check  write nothing, and fail if the picture is out of date`;

/** The steps of a call in their order. Each has a name, an explanation, and a file to read. */
const STEPS: readonly [name: string, text: string, file: string][] = [
  ["Start", "reads the flags and picks the command", "src/runner/cli/main.ts"],
  ["Read", "recognises the dialect of the call", "src/runner/dialect/request.ts"],
  ["Find", "looks up the tool by its name or alias", "src/runner/registry/registry.ts"],
  ["Validate", "corrects and checks the arguments", "src/runner/call/validate.ts"],
  ["Authorise", "compares what the call needs with the flags", "src/runner/call/authorise.ts"],
  ["Plan", "decides where it runs and what restricts it", "src/runner/sandbox/plan.ts"],
  ["Run", "time limit, retries, cancellation", "src/runner/call/run.ts"],
  ["Result", "content, structured data, or the error", "src/runner/call/failure.ts"],
  ["Print", "answers in the dialect of the call", "src/runner/dialect/request.ts"],
];

/** The step after which `toolcall check` stops, and the one that uses an executor. */
const [LAST_CHECKED, RUNNING] = ["Plan", "Run"];

/** The places where executors run tools, with the colours of their boxes. */
const PLACES = {
  thread: ["main thread", "#dbeafe"],
  worker: ["Worker", "#dcfce7"],
  process: ["another process", "#fde68a"],
} as const;

/** The executors: the name, the place where it runs the tool, and its purpose. */
const EXECUTORS: readonly [plan: string, place: keyof typeof PLACES, text: string][] = [
  ["in_process", "thread", "everything is allowed, or an MCP server's tool"],
  ["sandboxed_in_process", "thread", "quick tools that use only files: Landlock"],
  ["programs", "thread", "tools that start programs: they are in the sandbox"],
  ["worker", "worker", "other tools, with the permissions of the flags"],
  ["pooled_worker", "worker", "the same tools in a long-lived process"],
  ["network_worker", "worker", "calls that need a host: no files of the user's"],
  ["kept_process", "process", "tools that start programs, in a long-lived process"],
  ["subprocess", "process", "what else a long-lived process cannot restrict"],
  ["background_process", "process", "a call with run_in_background: outlives toolcall"],
];

const [WIDTH, MARGIN, STEP_WIDTH, STEP_HEIGHT, STEP_GAP] = [990, 20, 440, 46, 20];
const [EXECUTOR_X, EXECUTOR_WIDTH, EXECUTOR_HEIGHT, EXECUTOR_GAP] = [570, 400, 40, 8];
const TOP = 70;

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

function label(x: number, y: number, text: string, attributes = ""): string {
  return `<text x="${x}" y="${y}"${attributes && ` ${attributes}`}>${escaped(text)}</text>`;
}

function box(x: number, y: number, width: number, height: number, fill: string): string {
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="6" fill="${fill}" ` +
    'stroke="#475569"/>';
}

function arrow(path: string): string {
  return `<path d="${path}" fill="none" stroke="#475569" marker-end="url(#tip)"/>`;
}

/** The picture, as the text of an SVG file. */
function draw(): string {
  const middle = MARGIN + STEP_WIDTH / 2;
  const stepAt = (at: number) => TOP + at * (STEP_HEIGHT + STEP_GAP);
  const end = stepAt(STEPS.length);
  const steps = STEPS.flatMap(([name, text, file], at) => [
    arrow(`M${middle} ${stepAt(at) - STEP_GAP} V${stepAt(at) - 2}`),
    box(MARGIN, stepAt(at), STEP_WIDTH, STEP_HEIGHT, "#f8fafc"),
    label(MARGIN + 12, stepAt(at) + 19, name, 'font-weight="bold"'),
    label(MARGIN + 100, stepAt(at) + 19, text),
    label(MARGIN + 100, stepAt(at) + 37, file, 'class="file"'),
  ]);
  const checked = stepAt(STEPS.findIndex(([name]) => name === LAST_CHECKED) + 1) - STEP_GAP / 2;
  const running = stepAt(STEPS.findIndex(([name]) => name === RUNNING)) + STEP_HEIGHT / 2;
  const executorAt = (at: number) => TOP + 64 + at * (EXECUTOR_HEIGHT + EXECUTOR_GAP);
  const executorsEnd = executorAt(EXECUTORS.length);
  const executors = EXECUTORS.flatMap(([plan, place, text], at) => [
    box(EXECUTOR_X, executorAt(at), EXECUTOR_WIDTH, EXECUTOR_HEIGHT, PLACES[place][1]),
    label(EXECUTOR_X + 10, executorAt(at) + 17, plan, 'font-weight="bold"'),
    label(EXECUTOR_X + 10, executorAt(at) + 33, text, 'class="small"'),
  ]);
  const legend = Object.values(PLACES).flatMap(([name, colour], at) => [
    box(EXECUTOR_X + at * 130, TOP + 30, 14, 14, colour),
    label(EXECUTOR_X + at * 130 + 20, TOP + 42, name, 'class="small"'),
  ]);
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${end + 40}" ` +
    'font-family="system-ui, Helvetica, Arial, sans-serif" font-size="14" role="img" ' +
    'aria-label="The way of a call, from its JSON text to its result">',
    "<!-- Written by scripts/draw_call.ts. Do not edit this file. -->",
    "<style>text{fill:#0f172a}.file{font-family:monospace;font-size:12px;fill:#475569}" +
    ".small{font-size:12px}</style>",
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" ' +
    'markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z" fill="#475569"/></marker></defs>',
    `<rect width="${WIDTH}" height="${end + 40}" fill="#ffffff"/>`,
    label(middle, 36, "one JSON call, on stdin or as arguments", 'text-anchor="middle"'),
    ...steps,
    arrow(`M${middle} ${end - STEP_GAP} V${end + 2}`),
    label(
      middle,
      end + 22,
      "one line of JSON on stdout, and the exit code",
      'text-anchor="middle"',
    ),
    `<path d="M${MARGIN} ${checked} H${MARGIN + STEP_WIDTH + 66}" stroke="#b91c1c" ` +
    'stroke-dasharray="6 4"/>',
    label(MARGIN + STEP_WIDTH + 4, checked - 6, "check stops", 'class="small"'),
    label(EXECUTOR_X, TOP + 14, "The executors: one for each kind of plan", 'font-weight="bold"'),
    ...legend,
    ...executors,
    `<path d="M${EXECUTOR_X - 14} ${executorAt(0)} V${executorsEnd - EXECUTOR_GAP}" ` +
    'stroke="#475569"/>',
    arrow(`M${MARGIN + STEP_WIDTH} ${running - 7} H${EXECUTOR_X - 16}`),
    arrow(`M${EXECUTOR_X - 14} ${running + 7} H${MARGIN + STEP_WIDTH + 2}`),
    label(EXECUTOR_X, executorsEnd + 14, "src/runner/sandbox/executors/", 'class="file"'),
    "</svg>",
  ];
  return `${lines.join("\n")}\n`;
}

const flags = parseArgs(Deno.args, { boolean: ["check", "help"], alias: { help: "h" } });
const path = fileURLToPath(new URL("../docs/call.svg", import.meta.url));
if (flags.help) {
  Deno.stdout.writeSync(new TextEncoder().encode(`${HELP}\n`));
} else if (!flags.check) {
  Deno.writeTextFileSync(path, draw());
} else if (Deno.readTextFileSync(path) !== draw()) {
  Deno.stderr.writeSync(
    new TextEncoder().encode(
      'docs/call.svg is out of date. Draw it again: "deno run -A scripts/draw_call.ts"\n',
    ),
  );
  Deno.exit(1);
}
