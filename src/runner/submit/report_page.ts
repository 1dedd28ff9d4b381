/** The report of a submission: one page of HTML with its plots, which needs no other file. */

import { lookupTable } from "../../base/lookup_table.ts";
import { thousands } from "../../base/text/amounts.ts";
import { version } from "../../base/version.ts";
import type { SubmissionFigures, ToolFigures } from "./submission_figures.ts";

/** The size of a plot, and the room for the numbers at its left and below it. */
const [WIDTH, HEIGHT, LEFT, BELOW] = [720, 220, 56, 24];

/** The most tools that the plot of durations shows. */
const MAX_SHOWN = 12;

/** The percentiles of the durations that are shown, by their names. */
const PERCENTILES: readonly [name: string, share: number][] = [
  ["p50", 0.5],
  ["p90", 0.9],
  ["p99", 0.99],
];

const STYLE = `
:root { color-scheme: light dark; --accent: light-dark(#4338ca, #a5b4fc);
  --bad: light-dark(#b42332, #f19ca5); --line: light-dark(#dfe1e8, #33353d);
  --muted: light-dark(#565869, #a6a8b8); }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; padding: 24px 16px; max-width: 760px;
  background: light-dark(#fff, #131418); color: light-dark(#16171d, #ececf1); }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
p, .muted { color: var(--muted); }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: 4px 8px; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; overflow-wrap: anywhere; min-width: 8em; }
.scroll { overflow-x: auto; } svg { width: 100%; min-width: 560px; height: auto; }
svg text { fill: var(--muted); font: 11px system-ui, sans-serif; }
.done, .p50 { fill: var(--accent); } .failed { fill: var(--bad); }
.p90 { fill: color-mix(in srgb, var(--accent) 55%, transparent); }
.p99 { fill: color-mix(in srgb, var(--accent) 25%, transparent); }
.axis { stroke: var(--line); }
`;

/** The facts about a submission that its figures do not have. */
export interface ReportOptions {
  /** The time of the start. */
  started: Date;
  /** The most calls at the same time. */
  jobs: number;
  /** Whether a signal has ended the submission. */
  isInterrupted: boolean;
}

/** Returns the page. All texts in it are escaped, because the names of tools come from calls. */
export function reportPage(figures: SubmissionFigures, options: ReportOptions): string {
  const tools = [...figures.tools].sort(([, one], [, two]) => two.done - one.done);
  const done = tools.reduce((sum, [, each]) => sum + each.done, 0);
  const failed = tools.reduce((sum, [, each]) => sum + each.failed, 0);
  const seconds = figures.elapsedMs / 1_000;
  const head = [
    `${thousands(done)} calls`,
    `${thousands(failed)} failed`,
    `${thousands(Math.round(done / Math.max(seconds, 0.001)))} calls a second`,
    `${seconds.toFixed(1)} seconds`,
    `${options.jobs} at the same time`,
  ].join(", ");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>Report of toolcall submit</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Report of toolcall submit</h1>
<p>${head}. Started at ${options.started.toISOString()}, toolcall ${version}.${
    options.isInterrupted ? " A signal ended it before the end of the input." : ""
  }</p>
<h2>Calls a second over time</h2>
${ratePlot(figures)}
<h2>Duration by tool, in milliseconds</h2>
${durationPlot(tools.slice(0, MAX_SHOWN))}
${
    table(
      ["Tool", "Calls", "Failed", ...PERCENTILES.map(([name]) => name), "Longest"],
      tools.map(([name, { done, failed, durations }]) => [
        name,
        thousands(done),
        thousands(failed),
        ...PERCENTILES.map(([, share]) => milliseconds(durations.percentile(share))),
        milliseconds(durations.longest),
      ]),
    )
  }
<h2>Failures by code</h2>
${
    figures.codes.size === 0 ? "<p>No call failed.</p>" : table(
      ["Code", "Calls"],
      [...figures.codes].sort(([, one], [, two]) => two - one)
        .map(([code, count]) => [code, thousands(count)]),
    )
  }
</body>
</html>
`;
}

/** The rate over time, with the failed calls in another colour. */
function ratePlot({ slots, slotMs }: SubmissionFigures): string {
  const perSecond = 1_000 / slotMs;
  const most = Math.max(1, ...slots.map(({ done }) => done * perSecond));
  const step = (WIDTH - LEFT) / Math.max(1, slots.length);
  const bar = (at: number, count: number, kind: string) => {
    const height = count * perSecond / most * (HEIGHT - BELOW);
    const place = `x="${fixed(LEFT + at * step)}" y="${fixed(HEIGHT - BELOW - height)}"`;
    return `<rect class="${kind}" ${place} width="${fixed(step * 0.9)}" height="${
      fixed(height)
    }"/>`;
  };
  const bars = slots.flatMap(({ done, failed }, at) => [
    bar(at, done, "done"),
    ...(failed > 0 ? [bar(at, failed, "failed")] : []),
  ]);
  const ends = [["0 s", LEFT, "start"], [`${fixed(slots.length * slotMs / 1_000)} s`, WIDTH, "end"]]
    .map(([text, x, anchor]) =>
      `<text x="${x}" y="${HEIGHT - 6}" text-anchor="${anchor}">${text}</text>`
    );
  return plot("Calls a second over time", HEIGHT, [...axis(most), ...bars, ...ends]);
}

/** The percentiles by tool, as bars of a logarithmic scale. */
function durationPlot(tools: readonly (readonly [string, ToolFigures])[]): string {
  const [row, labels] = [26, 190];
  const longest = Math.max(0.01, ...tools.map(([, { durations }]) => durations.percentile(0.99)));
  const shortest = Math.min(
    longest / 10,
    ...tools.map(([, { durations }]) => durations.percentile(0.5)),
  );
  const length = (ms: number) =>
    Math.max(
      2,
      Math.log(ms / shortest * 2) / Math.log(longest / shortest * 2) * (WIDTH - labels),
    );
  const rows = tools.flatMap(([name, { durations }], at) => {
    const y = at * row;
    const bars = PERCENTILES.toReversed().map(([kind, share]) => {
      const width = fixed(length(durations.percentile(share)));
      return `<rect class="${kind}" x="${labels}" y="${y + 4}" width="${width}" height="${
        row - 8
      }"/>`;
    });
    const shown = name.length > 26 ? `${name.slice(0, 25)}…` : name;
    return [
      `<text x="${labels - 8}" y="${y + 17}" text-anchor="end">${escaped(shown)}</text>`,
      ...bars,
    ];
  });
  const note = "<p>The bars are p50, p90 and p99 on a logarithmic scale.</p>";
  return plot("Duration by tool", Math.max(row, tools.length * row), rows) + note;
}

function plot(label: string, height: number, parts: readonly string[]): string {
  const size = `viewBox="0 0 ${WIDTH} ${height}"`;
  const svg = `<svg ${size} role="img" aria-label="${label}">${parts.join("")}</svg>`;
  return `<div class="scroll" tabindex="0">${svg}</div>`;
}

/** Lines and numbers at a half and at the whole of a scale. */
function axis(most: number): string[] {
  return [0, 0.5, 1].flatMap((share) => {
    const y = fixed((HEIGHT - BELOW) * (1 - share));
    return [
      `<line class="axis" x1="${LEFT}" x2="${WIDTH}" y1="${y}" y2="${y}"/>`,
      `<text x="${LEFT - 6}" y="${Math.max(10, Number(y))}" text-anchor="end">${
        thousands(Math.round(most * share))
      }</text>`,
    ];
  });
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = (row: readonly string[], kind: string) =>
    `<tr>${row.map((cell) => `<${kind}>${escaped(cell)}</${kind}>`).join("")}</tr>`;
  return `<div class="scroll" tabindex="0"><table><thead>${cells(head, "th")}</thead><tbody>${
    rows.map((row) => cells(row, "td")).join("")
  }</tbody></table></div>`;
}

/** A duration with three digits. */
export function milliseconds(ms: number): string {
  return ms >= 100 ? thousands(Math.round(ms)) : String(Number(ms.toPrecision(3)));
}

const fixed = (value: number) => String(Math.round(value * 10) / 10);

const ESCAPES = lookupTable<string>({
  ...{ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" },
});

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character]!);
}
