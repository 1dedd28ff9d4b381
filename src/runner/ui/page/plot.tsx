/// <reference lib="dom" />
/** A plot that follows the width of its box and the colours of the page. */
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";

/** The steps of the vertical axis. Calls and milliseconds are whole numbers. */
const TICKS = [1, 10, 100, 1_000, 10_000, 100_000].flatMap((unit) => [unit, 2 * unit, 5 * unit]);

/** Labels a time in the language of the browser, with the day if the plot shows several days. */
const timeLabel = (x: readonly number[]) => (seconds: number) => {
  const at = new Date(seconds * 1000);
  return x.at(-1)! - x[0]! > 86_400 ? at.toLocaleDateString() : at.toLocaleTimeString();
};

/** Draws values over x. `kind` says whether x is a time or the number of a name. */
export function Plot(
  { label, x, ys, names, kind = "time" }: {
    label: string;
    x: number[];
    ys: (number | null)[][];
    names: string[];
    kind?: "time" | string[];
  },
) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // A canvas does not understand light-dark(), so the browser resolves the colours.
    const probe = box.current!;
    const color = (name: string) => {
      probe.style.color = `var(${name})`;
      const found = getComputedStyle(probe).color;
      probe.style.color = "";
      return found;
    };
    const axis = {
      stroke: color("--muted"),
      grid: { stroke: color("--line"), width: 1 },
      ticks: { stroke: color("--line") },
      font: "11px system-ui",
    };
    const colors = ["--accent", "--bad", "--good"];
    const isNamed = kind !== "time";
    const gap = Math.min(...x.slice(1).map((at, index) => at - x[index]!), 1e9);
    const bars = uPlot.paths.bars!({ size: [0.6, 60] });
    // deno-lint-ignore no-explicit-any -- The types of the package are those of CommonJS.
    const plot = new (uPlot as any)(
      {
        width: box.current!.clientWidth || 300,
        height: 150,
        legend: { show: ys.length > 1 },
        cursor: { show: false },
        scales: {
          x: isNamed
            ? { time: false, range: [-0.6, Math.max(0.6, x.length - 0.4)] }
            // Both ends get half a bar more, so that the first and the last bar are whole.
            : { range: (_: unknown, low: number, high: number) => [low - gap / 2, high + gap / 2] },
          y: { range: (_: unknown, _low: number, high: number) => [0, Math.max(1, high * 1.1)] },
        },
        axes: [{
          ...axis,
          ...(isNamed && { splits: () => x, values: () => x.map((at) => kind[at] ?? "") }),
          ...(!isNamed &&
            { space: 80, values: (_: unknown, times: number[]) => times.map(timeLabel(x)) }),
        }, { ...axis, size: 44, incrs: TICKS }],
        series: [
          {},
          ...ys.map((_, at) => ({
            label: names[at],
            stroke: color(colors[at]!),
            fill: `color-mix(in srgb, ${color(colors[at]!)} 45%, transparent)`,
            width: 1,
            paths: bars,
            points: { show: false },
          })),
        ],
      },
      [x, ...ys],
      box.current!,
    );
    const observer = new ResizeObserver(() =>
      plot.setSize({ width: probe.clientWidth, height: 150 })
    );
    observer.observe(probe);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [JSON.stringify(ys), JSON.stringify(x)]);
  return (
    <figure class="plot">
      <figcaption>{label}</figcaption>
      <div ref={box} role="img" aria-label={label} />
    </figure>
  );
}
