/// <reference lib="dom" />
/** Plots of calls. */
import { Plot } from "./plot.tsx";

/** The part of a call that the plots show. */
export interface SeenCall {
  /** The start, in milliseconds since 1970. */
  at: number;
  /** The name of the tool. */
  name: string;
  /** The duration in milliseconds. */
  ms: number;
  /** The code of the failure, or an empty string. */
  code: string;
  /** The sandbox layer that refused the call, if one did. */
  by?: string;
}

/** Plots of calls: over time, by tool, and by the kind of refusal. */
export function CallPlots({ calls }: { calls: SeenCall[] }) {
  if (calls.length < 2) return null;
  const [first, last] = [calls[0]!.at, calls.at(-1)!.at];
  const width = Math.max(1_000, (last - first) / 30);
  const [good, bad] = [new Map<number, number>(), new Map<number, number>()];
  for (const { at, code } of calls) {
    const map = code ? bad : good;
    const slot = Math.floor(at / width);
    map.set(slot, (map.get(slot) ?? 0) + 1);
  }
  const slots = [...new Set([...good.keys(), ...bad.keys()])].sort((a, b) => a - b);
  const byTool = new Map<string, number[]>();
  for (const { name, ms } of calls) {
    const list = byTool.get(name);
    if (list) list.push(ms);
    else byTool.set(name, [ms]);
  }
  const median = [...byTool].map((
    [name, all],
  ): [string, number] => [name, all.sort((a, b) => a - b)[all.length >> 1]!]).sort((a, b) =>
    b[1] - a[1]
  ).slice(0, 6);
  const kinds = new Map<string, number>();
  for (const { code, by } of calls) {
    if (code) {
      const kind = by ? `${code} (${by})` : code;
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    }
  }
  const refusals = [...kinds].sort((a, b) => b[1] - a[1]).slice(0, 4);
  return (
    <div class="plots">
      <Plot
        label="Calls over time"
        x={slots.map((slot) => slot * width / 1000)}
        ys={[
          slots.map((slot) => (good.get(slot) ?? 0) + (bad.get(slot) ?? 0)),
          slots.map((slot) => bad.get(slot) ?? null),
        ]}
        names={["all", "failed"]}
      />
      <Plot
        label="Median latency by tool, in ms"
        kind={median.map(([name]) => name)}
        x={median.map((_, at) => at)}
        ys={[median.map(([, ms]) => ms)]}
        names={["ms"]}
      />
      {refusals.length > 0 && (
        <Plot
          label="Failures by kind"
          kind={refusals.map(([name]) => name.replace("permission_denied", "denied"))}
          x={refusals.map((_, at) => at)}
          ys={[refusals.map(([, count]) => count)]}
          names={["calls"]}
        />
      )}
    </div>
  );
}

/** The time of day. */
export const timeOf = (at: number | string) => new Date(at).toLocaleTimeString();
