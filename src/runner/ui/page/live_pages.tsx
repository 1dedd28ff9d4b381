/// <reference lib="dom" />
/** Tasks, MCP servers, and the report of doctor. */
import { useEffect, useState } from "preact/hooks";
import { api, copy, server, type Task, tasks, tools } from "./store.tsx";

interface Finding {
  kind: string;
  name: string;
  ok: boolean;
  detail: string;
  optional?: boolean;
}
interface Doctor {
  ok: boolean;
  findings: Finding[];
  plans: Record<string, string[]>;
}
interface Config {
  ok: boolean;
  files: { path: string; problems: { message: string; line?: number; path?: string }[] }[];
  lookedFor: string[];
}

/** Loads a report once. */
function useReport<T>(path: string): [T | undefined, string] {
  const [data, setData] = useState<T>();
  const [error, setError] = useState("");
  useEffect(() => {
    api<T>(path).then(setData, (why) => setError(why.message));
  }, []);
  return [data, error];
}

function TaskBar({ task, first, span }: { task: Task; first: number; span: number }) {
  const end = task.endedAt ?? Date.now();
  return (
    <svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect
        class={task.status}
        x={(task.startedAt - first) / span * 100}
        width={Math.max(0.6, (end - task.startedAt) / span * 100)}
        height="6"
        rx="1"
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

/** The MCP servers of the configuration, and the clients that have this program. */
export function ServersPage() {
  const [doctor, error] = useReport<Doctor>("doctor");
  const [clients] = useReport<unknown>("clients");
  const list = doctor?.findings.filter(({ kind }) => kind === "server") ?? [];
  const from = (name: string) =>
    tools.value.filter((tool) => tool.name.startsWith(`mcp__${name}__`)).length;
  return (
    <div class="page">
      <header class="title">
        <h1>Servers</h1>
        <p class="muted">
          MCP servers of the configuration, and clients that can use this program.
        </p>
      </header>
      {error && <p class="notice bad" role="alert">{error}</p>}
      {!doctor && !error && <p class="muted">Checking …</p>}
      {doctor && list.length === 0 && (
        <p class="empty-note">
          No MCP server is configured. Add one under "mcpServers" in toolcall.json.
        </p>
      )}
      <ul class="cards-list">
        {list.map((each) => (
          <li class="panel" key={each.name}>
            <div class="row">
              <b>{each.name}</b>
              <span class={`badge ${each.ok ? "good" : "bad"}`}>
                {each.ok ? "ok" : "not started"}
              </span>
              <span class="muted">{from(each.name)} tools</span>
            </div>
            <p>{each.detail}</p>
          </li>
        ))}
      </ul>
      <h2>Install in a client</h2>
      <ul class="grid-list">
        {["claude-code", "claude-desktop", "cursor", "vscode", "zed", "codex", "gemini", "windsurf"]
          .map((name) => {
            const command = `toolcall mcp install ${name} --write --allow-read=.`;
            const has = JSON.stringify(clients ?? "").includes(
              `"client":"${name}","installed":true`,
            );
            return (
              <li class="panel" key={name}>
                <div class="row">
                  <b>{name}</b>
                  {has && <span class="badge good">installed</span>}
                  <span class="grow" />
                  <button
                    type="button"
                    aria-label={`Copy the command for ${name}`}
                    onClick={() => copy(command)}
                  >
                    Copy
                  </button>
                </div>
                <code class="rest">{command}</code>
              </li>
            );
          })}
      </ul>
    </div>
  );
}

/** The report of `toolcall doctor`, and the problems of the configuration. */
export function DoctorPage() {
  const [doctor, error] = useReport<Doctor>("doctor");
  const [config] = useReport<Config>("config");
  const groups = [["wall", "Sandbox"], ["capability", "Needs of tools"], ["bundle", "Bundles"], [
    "configuration",
    "Configuration",
  ]];
  const kinds = new Set(groups.map(([kind]) => kind));
  return (
    <div class="page">
      <header class="title">
        <h1>Doctor and configuration</h1>
        <p class="muted">What works on this machine, and what is missing.</p>
      </header>
      {error && <p class="notice bad" role="alert">{error}</p>}
      {!doctor ? !error && <p class="muted">Testing the sandbox …</p> : (
        <>
          <p class={`notice ${doctor.ok ? "good" : "bad"}`}>
            {doctor.ok
              ? "The sandbox works."
              : "The sandbox does not work completely. The cards below say why."}
          </p>
          {[...groups, ["", "Other"]].map(([kind, title]) => {
            const found = doctor.findings.filter((each) =>
              kind ? each.kind === kind : !kinds.has(each.kind) && each.kind !== "server"
            );
            return found.length > 0 && (
              <section key={title}>
                <h2>{title}</h2>
                <ul class="grid-list">
                  {found.map((each) => (
                    <li class="panel" key={each.name}>
                      <div class="row">
                        <span
                          class={`mark ${each.ok ? "yes" : "no"}`}
                          aria-label={each.ok ? "works" : "missing"}
                        >
                          {each.ok ? "✓" : "✗"}
                        </span>
                        <b>{each.name}</b>
                      </div>
                      <p class="detail">{each.detail}</p>
                    </li>
                  ))}
                </ul>
              </section>
            );
          })}
        </>
      )}
      {config && (
        <section>
          <h2>Configuration files</h2>
          {config.files.length === 0
            ? (
              <p class="empty-note">
                No configuration file. None is needed. toolcall looks for{" "}
                {config.lookedFor.join(" and ")}.
              </p>
            )
            : config.files.map(({ path, problems }) => (
              <div class="panel" key={path}>
                <div class="row">
                  <code>{path}</code>
                  <span class={`badge ${problems.length ? "bad" : "good"}`}>
                    {problems.length ? `${problems.length} problems` : "ok"}
                  </span>
                </div>
                {problems.map((each, at) => (
                  <p key={at}>
                    {each.line !== undefined && `Line ${each.line}: `}
                    {each.path} {each.message}
                  </p>
                ))}
              </div>
            ))}
        </section>
      )}
    </div>
  );
}
