/// <reference lib="dom" />
/** The calls of this page. */
import { useState } from "preact/hooks";
import { CallPlots, timeOf } from "./call_plots.tsx";
import { chipsOf } from "./chips.ts";
import { masked } from "./history_store.ts";
import type { HistoryRow } from "./page_types.ts";
import { ResultView } from "./result_view.tsx";
import { open, run } from "./run_call.ts";
import { chips, copy, latest, rows, save, server } from "./state.ts";
import { VirtualList } from "./virtual_list.tsx";

/** The calls as lines of JSON. Arguments that are likely to be secrets are masked. */
const jsonLines = (all: readonly HistoryRow[]) =>
  all.map((row) =>
    JSON.stringify({
      time: new Date(row.at).toISOString(),
      name: row.name,
      arguments: masked(row.args),
      flags: row.flags,
      ms: row.ms,
      exit: row.exit,
      code: row.code || null,
    })
  ).join("\n");

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
        <button type="button" disabled={all.length === 0} onClick={() => copy(jsonLines(all))}>
          Copy as JSONL
        </button>
        <button
          type="button"
          disabled={all.length === 0}
          onClick={() => save("toolcall-history.jsonl", `${jsonLines(all)}\n`)}
        >
          Save as a file
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
                      <time>{timeOf(row.at)}</time>
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
