/// <reference lib="dom" />
/** The calls of this page, and the audit log. */
import { useState } from "preact/hooks";
import { chipsOf } from "./chips.tsx";
import { Plot } from "./plot.tsx";
import { ResultView } from "./result_view.tsx";
import { audit, chips, copy, type HistoryRow, latest, open, rows, run, server } from "./store.tsx";
import { VirtualList } from "./virtual_list.tsx";

interface Seen {
  at: number;
  name: string;
  ms: number;
  code: string;
  by?: string;
}

/** Plots of calls: over time, by tool, and by the kind of refusal. */
export function CallPlots({ calls }: { calls: Seen[] }) {
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
          slots.map((slot) => good.get(slot) ?? null),
          slots.map((slot) => bad.get(slot) ?? null),
        ]}
        names={["ok", "failed"]}
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

const time = (at: number | string) => new Date(at).toLocaleTimeString();

/** The history of this page. */
export function HistoryPage() {
  const [query, setQuery] = useState("");
  const [chosen, setChosen] = useState<HistoryRow>();
  const [other, setOther] = useState<HistoryRow>();
  const all = rows.value.filter(({ name, code, args }) =>
    query === "" ||
    `${name} ${code} ${JSON.stringify(args)}`.toLowerCase().includes(query.toLowerCase())
  ).reverse().sort((a, b) => Number(b.isPinned ?? 0) - Number(a.isPinned ?? 0));
  const edit = (row: HistoryRow) => {
    chips.value = chipsOf(row.flags);
    open(row.name, row.args);
    latest.value = row;
  };
  const pin = (row: HistoryRow) =>
    rows.value = rows.value.map((each) =>
      each.id === row.id ? { ...each, isPinned: !each.isPinned } : each
    );
  return (
    <div class="page">
      <header class="title">
        <h1>History</h1>
        <p class="muted">The calls of this page. They stay until you close the tab.</p>
      </header>
      <CallPlots calls={rows.value} />
      <div class="row wrap">
        <input
          type="search"
          aria-label="Search calls"
          placeholder="Search calls"
          value={query}
          onInput={(event) => setQuery(event.currentTarget.value)}
        />
        <span class="muted">{all.length.toLocaleString("en")} calls</span>
        <span class="grow" />
        <button
          type="button"
          disabled={all.length === 0}
          onClick={() =>
            copy(
              all.map((row) =>
                JSON.stringify({
                  time: new Date(row.at).toISOString(),
                  name: row.name,
                  arguments: row.args,
                  flags: row.flags,
                  ms: row.ms,
                  exit: row.exit,
                  code: row.code || null,
                })
              ).join("\n"),
            )}
        >
          Copy as JSONL
        </button>
      </div>
      {all.length === 0
        ? <p class="empty-note">No calls yet. Run one on the page Tools.</p>
        : (
          <div class="tall" style={{ height: `min(56vh, ${all.length * 44 + 2}px)` }}>
            <VirtualList
              count={all.length}
              height={44}
              label="Calls"
              row={(at) => {
                const row = all[at]!;
                return (
                  <div class={`line ${row.id === chosen?.id ? "current" : ""}`}>
                    <button type="button" class="line-main" onClick={() => setChosen(row)}>
                      <time>{time(row.at)}</time>
                      <b>{row.name}</b>
                      <span class={`badge ${row.code ? "bad" : "good"}`}>{row.code || "ok"}</span>
                      <span class="muted num">{row.ms} ms</span>
                      <code class="rest">{JSON.stringify(row.args)}</code>
                    </button>
                    <button
                      type="button"
                      class="icon"
                      aria-label={`${row.isPinned ? "Unpin" : "Pin"} the call of ${row.name}`}
                      onClick={() => pin(row)}
                    >
                      {row.isPinned ? "★" : "☆"}
                    </button>
                  </div>
                );
              }}
            />
          </div>
        )}
      {chosen && (
        <>
          <div class="row wrap">
            <button
              type="button"
              class="primary"
              disabled={server.value?.isReadOnly}
              onClick={() => {
                edit(chosen);
                run();
              }}
            >
              Replay
            </button>
            <button type="button" onClick={() => edit(chosen)}>Edit and replay</button>
            <button type="button" onClick={() => setOther(chosen)}>Compare with …</button>
            {other && (
              <button type="button" onClick={() => setOther(undefined)}>End comparison</button>
            )}
          </div>
          <div class={other ? "two" : ""}>
            {other && <ResultView row={other} />}
            <ResultView row={chosen} />
          </div>
        </>
      )}
    </div>
  );
}

/** The audit log as it grows. */
export function AuditPage() {
  const [isDenied, setDenied] = useState(false);
  const all = audit.value.filter(({ code, refusedBy }) =>
    !isDenied || code === "permission_denied" || refusedBy
  ).toReversed();
  const seen = audit.value.map(({ time, tool, asked, durationMs, code, refusedBy }): Seen => ({
    at: Date.parse(time),
    name: tool ?? asked ?? "-",
    ms: durationMs,
    code: code ?? "",
    by: refusedBy,
  }));
  const denied = audit.value.filter(({ code }) => code === "permission_denied").length;
  return (
    <div class="page">
      <header class="title">
        <h1>Audit</h1>
        <p class="muted">Every call of this server, as its audit log records it.</p>
      </header>
      {!server.value?.hasAudit
        ? (
          <div class="notice">
            <p>This server has no audit log. Start it with:</p>
            <pre tabIndex={0}>toolcall ui --audit=audit.jsonl</pre>
          </div>
        )
        : (
          <>
            <div class="stats">
              <div>
                <b>{audit.value.length.toLocaleString("en")}</b>
                <span>calls</span>
              </div>
              <div>
                <b>{denied}</b>
                <span>denied</span>
              </div>
              <div>
                <b>{new Set(audit.value.map(({ tool }) => tool)).size}</b>
                <span>tools</span>
              </div>
            </div>
            <CallPlots calls={seen} />
            <div class="segments" role="group" aria-label="Filter">
              {[false, true].map((each) => (
                <button
                  type="button"
                  key={String(each)}
                  aria-pressed={isDenied === each}
                  onClick={() => setDenied(each)}
                >
                  {each ? "Denied" : "All"}
                </button>
              ))}
            </div>
            <div class="tall" style={{ height: `min(56vh, ${all.length * 44 + 2}px)` }}>
              <VirtualList
                count={all.length}
                height={44}
                label="Audit log"
                row={(at) => {
                  const { time: when, tool, asked, code, durationMs, needs, refusedBy } = all[at]!;
                  return (
                    <div class="line">
                      <div class="line-main">
                        <time>{time(when)}</time>
                        <b>{tool ?? asked ?? "-"}</b>
                        <span class={`badge ${code ? "bad" : "good"}`}>
                          {code ?? "ok"}
                          {refusedBy ? ` (${refusedBy})` : ""}
                        </span>
                        <span class="muted num">{durationMs} ms</span>
                        <code class="rest">
                          {(needs ?? []).map((need: Record<string, unknown>) =>
                            `${need["name"]} ${
                              need["path"] ?? need["host"] ?? need["command"] ?? ""
                            }`
                          ).join(", ")}
                        </code>
                      </div>
                    </div>
                  );
                }}
              />
            </div>
          </>
        )}
    </div>
  );
}
