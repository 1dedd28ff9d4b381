/// <reference lib="dom" />
/** The background tasks. */
import { useEffect, useState } from "preact/hooks";
import type { Task } from "./page_types.ts";
import { api } from "./requests.ts";
import { server, tasks } from "./state.ts";

function TaskBar({ task, first, span }: { task: Task; first: number; span: number }) {
  const end = task.endedAt ?? Date.now();
  return (
    <svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect
        class={task.status}
        x={(task.startedAt - first) / span * 100}
        width={Math.max(0.6, (end - task.startedAt) / span * 100)}
        height="6"
      />
    </svg>
  );
}

/** The background tasks, with their time as a bar. */
export function TasksPage() {
  const [output, setOutput] = useState<{ id: string; text: string }>();
  const list = tasks.value;
  const first = Math.min(...list.map(({ startedAt }) => startedAt));
  const span = Math.max(1, Math.max(...list.map(({ endedAt }) => endedAt ?? Date.now())) - first);
  const show = async (id: string) =>
    setOutput({ id, text: (await api<{ text?: string }>(`tasks/${id}`)).text ?? "" });
  useEffect(() => {
    if (output) show(output.id).catch(() => {});
  }, [list]);
  return (
    <div class="page">
      <header class="title">
        <h1>Tasks</h1>
        <p class="muted">Calls that run in the background. Finished tasks stay for a week.</p>
      </header>
      {list.length === 0
        ? (
          <p class="empty-note">
            No background tasks. Set run_in_background in a call to start one.
          </p>
        )
        : (
          <ul class="cards-list">
            {list.map((task) => (
              <li class="panel" key={task.id}>
                <div class="row wrap">
                  <b>{task.tool}</b>
                  <span
                    class={`badge ${
                      task.status === "completed" ? "good" : task.status === "running" ? "" : "bad"
                    }`}
                  >
                    {task.status}
                  </span>
                  <code>{task.id}</code>
                  <span class="muted">{new Date(task.startedAt).toLocaleString()}</span>
                  <span class="grow" />
                  <button
                    type="button"
                    onClick={() => show(task.id)}
                  >
                    Output
                  </button>
                  {task.status === "running" && (
                    <button
                      type="button"
                      class="danger"
                      disabled={server.value?.isReadOnly}
                      onClick={() => api(`tasks/${task.id}/stop`, {})}
                    >
                      Stop
                    </button>
                  )}
                </div>
                <TaskBar task={task} first={first} span={span} />
                {output?.id === task.id && (
                  <pre tabIndex={0}>{output.text || "(no output yet)"}</pre>
                )}
              </li>
            ))}
          </ul>
        )}
    </div>
  );
}
