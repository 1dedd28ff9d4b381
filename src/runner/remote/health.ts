/** Answers health checks, and prints the metrics of a worker in the form of OpenMetrics. */

import type { CallTally } from "./call_tally.ts";

/** How a worker does. */
export interface WorkerState {
  /** Whether it can take calls. */
  isConnected: boolean;
  /** The number of calls that run or wait. */
  running: number;
  /** The number of calls that can run at the same time. */
  jobs: number;
  /** The time of the last answer of the queue, in milliseconds since 1970. */
  lastPull?: number;
  /** The counted calls. */
  tally: CallTally;
}

/** Serves `/healthz` and `/metrics` at an address. */
export function serveHealth(
  address: { hostname: string; port: number },
  state: () => WorkerState,
): Deno.HttpServer {
  return Deno.serve({ ...address, onListen() {} }, (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/healthz") {
      const { isConnected } = state();
      return new Response(isConnected ? "ok\n" : "stopping\n", { status: isConnected ? 200 : 503 });
    }
    if (pathname !== "/metrics") return new Response("Not found\n", { status: 404 });
    const type = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    return new Response(metricsText(state()), { headers: { "content-type": type } });
  });
}

/** Returns the metrics as OpenMetrics text. */
export function metricsText({ isConnected, running, jobs, lastPull, tally }: WorkerState): string {
  const lines = [
    "# TYPE toolcall_connected gauge",
    `toolcall_connected ${isConnected ? 1 : 0}`,
    "# TYPE toolcall_jobs gauge",
    `toolcall_jobs ${jobs}`,
    "# TYPE toolcall_calls_active gauge",
    `toolcall_calls_active ${running}`,
  ];
  if (lastPull !== undefined) {
    lines.push(
      "# TYPE toolcall_last_pull_age_seconds gauge",
      `toolcall_last_pull_age_seconds ${((Date.now() - lastPull) / 1_000).toFixed(3)}`,
    );
  }
  lines.push("# TYPE toolcall_calls counter");
  for (const [tool, { codes }] of tally.tools) {
    for (const [code, count] of codes) {
      lines.push(`toolcall_calls_total{tool=${label(tool)},code="${code}"} ${count}`);
    }
  }
  lines.push("# TYPE toolcall_call_duration_seconds summary");
  for (const [tool, { ms, calls }] of tally.tools) {
    lines.push(
      `toolcall_call_duration_seconds_sum{tool=${label(tool)}} ${(ms / 1_000).toFixed(6)}`,
      `toolcall_call_duration_seconds_count{tool=${label(tool)}} ${calls}`,
    );
  }
  return `${lines.join("\n")}\n# EOF\n`;
}

function label(text: string): string {
  return `"${text.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n")}"`;
}
