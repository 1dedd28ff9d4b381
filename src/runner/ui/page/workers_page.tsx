/// <reference lib="dom" />
/** The workers on NATS. */
import { useEffect, useState } from "preact/hooks";
import { api } from "./requests.ts";

interface Worker {
  id: string;
  version: string;
  started: string;
  jobs: number;
  running: number;
  tools: { name: string; calls: number; errors: number; ms: number; lastError: string }[];
}
interface Pool {
  pool: string;
  workers: Worker[];
}

/** The interval between two requests for the state of the workers, in milliseconds. */
const LOOK_MS = 2_000;

const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);
const callsOf = ({ tools }: Worker) => sum(tools.map(({ calls }) => calls));
const errorsOf = ({ tools }: Worker) => sum(tools.map(({ errors }) => errors));

function WorkerCard({ worker, rate }: { worker: Worker; rate: number }) {
  return (
    <li class="panel">
      <div class="row wrap">
        <b>{worker.id}</b>
        <span class={`badge ${worker.running > 0 ? "good" : ""}`}>
          {worker.running} of {worker.jobs} slots
        </span>
        <span class="muted">{rate.toFixed(1)} calls/s</span>
        <span class="grow" />
        <span class="muted">
          {worker.version}, since {new Date(worker.started).toLocaleString()}
        </span>
      </div>
      {worker.tools.length > 0 && (
        <div class="scroll" tabIndex={0}>
          <table>
            <thead>
              <tr>
                {["Tool", "Calls", "Failed", "Mean", "Last failure"].map((each) => (
                  <th key={each}>{each}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {worker.tools.map(({ name, calls, errors, ms, lastError }) => (
                <tr key={name}>
                  <td>{name}</td>
                  <td>{calls.toLocaleString("en")}</td>
                  <td>{errors.toLocaleString("en")}</td>
                  <td>{(ms / calls).toFixed(1)} ms</td>
                  <td>{lastError}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </li>
  );
}

/** The pool of workers: their slots, rates and failures. */
export function WorkersPage() {
  const [seen, setSeen] = useState<{ at: number; pool: Pool; rates: Record<string, number> }>();
  const [problem, setProblem] = useState("");
  useEffect(() => {
    let before: { at: number; calls: Record<string, number> } | undefined;
    const look = async () => {
      try {
        const pool = await api<Pool>("workers");
        const at = Date.now();
        const calls = Object.fromEntries(pool.workers.map((each) => [each.id, callsOf(each)]));
        const rates = Object.fromEntries(pool.workers.map(({ id }) => [
          id,
          before ? (calls[id]! - (before.calls[id] ?? 0)) / ((at - before.at) / 1000) : 0,
        ]));
        before = { at, calls };
        setSeen({ at, pool, rates });
        setProblem("");
      } catch (error) {
        setProblem((error as Error).message);
      }
    };
    look();
    const timer = setInterval(look, LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  const workers = seen?.pool.workers ?? [];
  const stats: [string, string][] = [
    [String(workers.length), "workers"],
    [
      `${sum(workers.map((each) => each.running))} of ${sum(workers.map((each) => each.jobs))}`,
      "slots in use",
    ],
    [sum(Object.values(seen?.rates ?? {})).toFixed(1), "calls per second"],
    [sum(workers.map(callsOf)).toLocaleString("en"), "calls"],
    [sum(workers.map(errorsOf)).toLocaleString("en"), "failed"],
  ];
  return (
    <div class="page">
      <header class="title">
        <h1>Workers</h1>
        <p class="muted">The workers of the pool {seen?.pool.pool ?? "…"} on NATS.</p>
      </header>
      {problem && <p class="notice bad" role="alert">{problem}</p>}
      <div class="stats">
        {stats.map(([value, label]) => (
          <div key={label}>
            <b>{value}</b>
            <span>{label}</span>
          </div>
        ))}
      </div>
      {seen && workers.length === 0 && (
        <p class="empty-note">No worker answers. Start one with toolcall worker --nats=URL.</p>
      )}
      <ul class="cards-list">
        {workers.map((each) => (
          <WorkerCard key={each.id} worker={each} rate={seen!.rates[each.id] ?? 0} />
        ))}
      </ul>
    </div>
  );
}
