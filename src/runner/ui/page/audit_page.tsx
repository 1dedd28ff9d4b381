/// <reference lib="dom" />
/** The audit log as it grows. */
import { useState } from "preact/hooks";
import { CallPlots, type SeenCall, timeOf } from "./call_plots.tsx";
import { audit, server } from "./state.ts";
import { VirtualList } from "./virtual_list.tsx";

/** The audit log as it grows. */
export function AuditPage() {
  const [isDenied, setDenied] = useState(false);
  const all = audit.value.filter(({ code, refusedBy }) =>
    !isDenied || code === "permission_denied" || refusedBy
  ).toReversed();
  const seen = audit.value.map(({ time, tool, asked, durationMs, code, refusedBy }): SeenCall => ({
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
                        <time>{timeOf(when)}</time>
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
