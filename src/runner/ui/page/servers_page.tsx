/// <reference lib="dom" />
/** The MCP servers of the configuration, and the clients that use this program. */
import { useEffect, useState } from "preact/hooks";
import type { DoctorReport, ReportedFinding } from "./page_types.ts";
import { api, useReport } from "./requests.ts";
import { copy, server, tools } from "./state.ts";

interface LiveServer {
  name: string;
  isRunning: boolean;
  tools: number;
  output: string;
}
interface ClientFile {
  client: string;
  title: string;
  scope: string;
  file: string;
  state: string;
}

/** The interval between two requests for the state of the servers, in milliseconds. */
const LOOK_MS = 2_000;

function ServerCard({ live, finding, onChange }: {
  live: LiveServer | undefined;
  finding: ReportedFinding;
  onChange: () => void;
}) {
  const [problem, setProblem] = useState("");
  const [isStarting, setStarting] = useState(false);
  const isAllowed = server.value!.ceiling.some((flag) =>
    /^(-A|--allow-all|--allow-mcp)$/.test(flag) ||
    flag.startsWith("--allow-mcp=") && flag.slice(12).split(",").includes(finding.name)
  );
  const start = async () => {
    setStarting(true);
    setProblem("");
    try {
      await api("servers", { name: finding.name });
      tools.value = await api("tools");
    } catch (error) {
      setProblem((error as Error).message);
    }
    setStarting(false);
    onChange();
  };
  const state = live?.isRunning ? "running" : finding.ok ? "not started" : "failed";
  return (
    <li class="panel">
      <div class="row wrap">
        <b>{finding.name}</b>
        <span class={`badge ${live?.isRunning ? "good" : finding.ok ? "" : "bad"}`}>{state}</span>
        <span class="muted">{live?.tools ?? 0} tools</span>
        <span class="grow" />
        {!live?.isRunning && (
          <button
            type="button"
            disabled={!isAllowed || isStarting || server.value?.isReadOnly}
            onClick={start}
          >
            {isStarting ? "Starting …" : "Start"}
          </button>
        )}
      </div>
      {!live?.isRunning && !finding.ok && <p class="detail">{finding.detail}</p>}
      {!isAllowed && (
        <p class="muted">
          To start it, run toolcall ui with <code>--allow-mcp={finding.name}</code>.
        </p>
      )}
      {problem && <p class="error" role="alert">{problem}</p>}
      {live?.output && (
        <details>
          <summary>Last output on stderr</summary>
          <pre tabIndex={0}>{live.output}</pre>
        </details>
      )}
    </li>
  );
}

/** The MCP servers with their live state, and the commands to install this program. */
export function ServersPage() {
  const [doctor, error] = useReport<DoctorReport>("doctor");
  const [rows] = useReport<Partial<ClientFile>[]>("clients");
  // The servers that follow the clients are shown above, with their live state.
  const clients = rows?.filter((row): row is ClientFile => row.client !== undefined);
  const [live, setLive] = useState<LiveServer[]>([]);
  const look = () => api<LiveServer[]>("servers").then(setLive, () => {});
  useEffect(() => {
    look();
    const timer = setInterval(look, LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  const list = doctor?.findings.filter(({ kind }) => kind === "server") ?? [];
  const names = [...new Map(clients?.map(({ client, title }) => [client, title]))];
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
          <ServerCard
            key={each.name}
            finding={each}
            live={live.find(({ name }) => name === each.name)}
            onChange={look}
          />
        ))}
      </ul>
      <h2>Install in a client</h2>
      <ul class="grid-list">
        {names.map(([name, title]) => {
          const command = `toolcall mcp install ${name} --write --allow-read=.`;
          const files = clients!.filter(({ client, state }) =>
            client === name && state === "installed"
          );
          return (
            <li class="panel" key={name}>
              <div class="row">
                <b>{title}</b>
                {files.length > 0 && (
                  <span
                    class="badge good"
                    title={files.map(({ file }) => file).join("\n")}
                  >
                    installed
                  </span>
                )}
                <span class="grow" />
                <button
                  type="button"
                  aria-label={`Copy the command for ${title}`}
                  onClick={() => copy(command)}
                >
                  Copy
                </button>
              </div>
              <code class="rest">
                {command.split(" ").map((word) => <span key={word}>{`${word} `}</span>)}
              </code>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
