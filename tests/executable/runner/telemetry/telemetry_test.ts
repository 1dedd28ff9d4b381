/** Traces and metrics, as a collector of OpenTelemetry gets them. */
// tier: machine
import { expect } from "@std/expect";
import { countingServer } from "../../../support/counting_server.ts";
import { call, temporaryDirectory, toolcall } from "../../../support/executable.ts";
import { listen, Peer } from "../../../support/mcp/peer.ts";
import { freePort, initStreams, natsTest, RunningWorker } from "../../../support/nats_server.ts";
import { OtlpCollector } from "../../../support/otlp_collector.ts";
import { isAlive, processesWith } from "../../../support/processes.ts";
import { until } from "../../../support/wait.ts";

const isLinux = Deno.build.os === "linux";
const PHASES = ["authorise", "find", "run", "sandbox", "validate"];
const TRACE = "0af7651916cd43dd8448eb211c80319c";
const PARENT = "b7ad6b7169203331";
const TRACEPARENT = `00-${TRACE}-${PARENT}-01`;

/** A directory with a file. */
function scene() {
  const directory = temporaryDirectory();
  const path = Deno.realPathSync(directory.path);
  Deno.writeTextFileSync(`${path}/file.txt`, "hello\n");
  return { path, file: `${path}/file.txt`, [Symbol.dispose]: () => directory[Symbol.dispose]() };
}

Deno.test("telemetry > a call is one span with five phases, in every executor", async (t) => {
  using at = scene();
  const feed = '<rss version="2.0"><channel><title>Tides</title></channel></rss>';
  await using site = countingServer(() => new Response(feed));
  const read = `--allow-read=${at.path}`;
  const cases: [plan: string, name: string, args: Record<string, unknown>, flags: string[]][] = [
    ["in_process", "Read", { file_path: at.file }, ["-A"]],
    ["sandboxed_in_process", "Read", { file_path: at.file }, [read]],
    ["programs", "Bash", { command: "echo hello" }, [read, "--allow-run=bash"]],
    ["network_worker", "rss_feed", { url: `http://${site.host}/` }, [
      `--allow-net=${site.host}`,
    ]],
  ];
  for (const [plan, name, args, flags] of cases) {
    await t.step(plan, async () => {
      await using collector = new OtlpCollector();
      const env = { ...collector.variables, TRACEPARENT };
      const run = await call(name, args, { flags, env, cwd: at.path });
      expect(run.exit, run.text).toBe(0);
      const [span, ...others] = collector.calls();
      expect(others).toEqual([]);
      expect(span).toMatchObject({
        ...{ name: `execute_tool ${name}`, service: "toolcall", status: 0 },
        ...{ traceId: TRACE, parentSpanId: PARENT },
        attributes: {
          "gen_ai.operation.name": "execute_tool",
          "gen_ai.tool.name": name,
          "toolcall.code": "ok",
          "toolcall.plan": plan,
        },
      });
      const phases = collector.phasesOf(span!);
      expect(phases.map(({ name }) => name).sort()).toEqual(PHASES);
      for (const [at, phase] of phases.entries()) {
        expect(phase.begin >= (phases[at - 1]?.end ?? span!.begin)).toBe(true);
        expect(phase.end <= span!.end).toBe(true);
      }
      const attributes = { tool: name, code: "ok" };
      expect(collector.points()).toEqual([
        { metric: "toolcall.calls", attributes, value: 1 },
        { metric: "toolcall.call.duration", attributes, value: 1 },
      ]);
      for (const { headers } of collector.requests) {
        expect(headers.get("x-key")).toBe(collector.secret);
      }
      // A page that a tool fetches does not get the trace.
      for (const { headers } of site.requests) expect(headers.get("traceparent")).toBe(null);
    });
  }
});

Deno.test("telemetry > the span of a failed call has its code, and no text of the caller", async (t) => {
  using at = scene();
  const cases: [code: string, name: string, args: Record<string, unknown>, phases: string[]][] = [
    ["tool_not_found", "WRITTEN", {}, ["find"]],
    ["invalid_arguments", "Read", { file_path: { WRITTEN: 1 } }, ["find", "sandbox", "validate"]],
    ["permission_denied", "Bash", { command: "WRITTEN" }, ["authorise", "find", "validate"]],
    ["tool_failed", "Read", { file_path: `${at.path}/WRITTEN` }, PHASES],
  ];
  for (const [code, name, args, phases] of cases) {
    await t.step(code, async () => {
      await using collector = new OtlpCollector();
      const flags = [`--allow-read=${at.path}`];
      const run = await call(name, args, { flags, env: collector.variables, cwd: at.path });
      expect(run._meta!["toolcall/error"].code).toBe(code);
      const tool = code === "tool_not_found" ? "unknown" : name;
      const [span] = collector.calls();
      expect(span).toMatchObject({ name: `execute_tool ${tool}`, status: 2, parentSpanId: "" });
      expect(span!.attributes).toMatchObject({ "toolcall.code": code, "error.type": code });
      expect(collector.phasesOf(span!).map(({ name }) => name).sort()).toEqual(phases);
      expect(collector.points().map(({ attributes }) => attributes)).toEqual([
        { tool, code },
        { tool, code },
      ]);
      expect(JSON.stringify(collector.requests.map(({ body }) => body))).not.toContain("WRITTEN");
    });
  }
});

Deno.test("telemetry > submit and a message of several calls export each call", async () => {
  using at = scene();
  await using collector = new OtlpCollector();
  const env = { ...collector.variables, TRACEPARENT };
  const flags = [`--allow-read=${at.path}`];
  const one = JSON.stringify({ name: "Read", arguments: { file_path: at.file } });
  const lines = Array.from({ length: 20 }, () => one).join("\n");
  const submitted = await toolcall(["submit", ...flags], { env, stdin: lines });
  expect(submitted.code, submitted.stderr).toBe(0);
  expect(collector.calls()).toHaveLength(20);
  const message = JSON.stringify(
    [1, 2, 3].map((id) => ({ type: "tool_use", id: `t${id}`, ...JSON.parse(one) }))
      .map(({ arguments: input, ...rest }) => ({ ...rest, input })),
  );
  const several = await toolcall(flags, { env, stdin: message });
  expect(several.code, several.stdout).toBe(0);
  expect(collector.calls()).toHaveLength(23);
  expect(new Set(collector.calls().map(({ parentSpanId }) => parentSpanId))).toEqual(
    new Set([PARENT]),
  );
});

Deno.test("telemetry > an MCP server takes the parent span from each request, and exports when it ends", async () => {
  using at = scene();
  await using collector = new OtlpCollector();
  const env = collector.variables;
  {
    await using peer = Peer.start([`--allow-read=${at.path}`, "--allow-run=bash"], {
      ...{ env, cwd: at.path },
    });
    await peer.initialize();
    const params = { name: "Read", arguments: { file_path: at.file } };
    const { result } = await peer.request("tools/call", {
      ...params,
      _meta: { traceparent: TRACEPARENT },
    });
    expect(result.isError ?? false).toBe(false);
    await peer.request("tools/call", { ...params, _meta: { traceparent: "nonsense" } });
    await peer.call("Read", { file_path: at.file });
    await peer.call("Bash", { command: "echo hello" });
  }
  const calls = collector.calls();
  expect(calls.map(({ parentSpanId }) => parentSpanId)).toEqual([PARENT, "", "", ""]);
  expect(calls[0]!.traceId).toBe(TRACE);
  // The process that runs a program exports nothing itself.
  expect(calls[3]!.attributes["toolcall.plan"]).toBe("kept_process");
  expect(collector.phasesOf(calls[3]!).map(({ name }) => name).sort()).toEqual(PHASES);
});

natsTest(
  "telemetry > a worker takes the parent span from the call, and exports when it ends",
  async (nats) => {
    using at = scene();
    await using collector = new OtlpCollector();
    await initStreams(nats.url);
    const flags = [`--allow-read=${at.path}`, "--durable"];
    await using worker = await RunningWorker.start(nats.url, flags, { env: collector.variables });
    const read = JSON.stringify({ name: "Read", arguments: { file_path: at.file } });
    const env = { TRACEPARENT };
    for (const args of [["call"], ["submit"], ["submit", "--durable"]]) {
      const stdin = args[0] === "call" ? read : `${read}\n${read}\n`;
      const run = await toolcall([...args, `--nats=${nats.url}`], { env, stdin });
      expect(run.code, run.stderr).toBe(0);
    }
    await toolcall(["call", `--nats=${nats.url}`], { stdin: read });
    expect(await worker.end()).toBe(0);
    expect(collector.calls().map(({ parentSpanId }) => parentSpanId)).toEqual([
      ...Array.from({ length: 5 }, () => PARENT),
      "",
    ]);
    expect(collector.points()).toContainEqual({
      ...{ metric: "toolcall.calls", value: 6 },
      attributes: { tool: "Read", code: "ok" },
    });
  },
);

Deno.test("telemetry > a server over HTTP takes the parent span from the header", async () => {
  using at = scene();
  await using collector = new OtlpCollector();
  {
    await using server = await listen([`--allow-read=${at.path}`], {
      ...{ env: collector.variables, cwd: at.path },
    });
    const response = await fetch(server.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...{ "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call" },
        ...{ "mcp-name": "Read", traceparent: TRACEPARENT },
      },
      body: JSON.stringify({
        ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
        params: {
          ...{ name: "Read", arguments: { file_path: at.file } },
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
          },
        },
      }),
    });
    expect(await response.text()).toContain("hello");
  }
  expect(collector.calls().map(({ parentSpanId }) => parentSpanId)).toEqual([PARENT]);
});

Deno.test({
  name: "telemetry > no tool and no program sees the credentials of the collector",
  ignore: !isLinux,
  async fn(t) {
    using at = scene();
    const all = "cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n'; env; exit 0";
    const names = "OTEL_EXPORTER_OTLP_HEADERS,OTEL_EXPORTER_OTLP_ENDPOINT,OTEL_DENO";
    const cases: [name: string, flags: string[]][] = [
      ["a program with all permissions", ["-A"]],
      ["a program without a sandbox", ["--allow-run", "--unconfined-run", `--allow-env=${names}`]],
      ["a program in the sandbox", ["--allow-run", "--allow-read=/", `--allow-env=${names}`]],
    ];
    for (const [name, flags] of cases) {
      await t.step(name, async () => {
        await using collector = new OtlpCollector();
        const env = { ...collector.variables, OTEL_DENO: "true" };
        const run = await call("Bash", { command: all }, { flags, env, cwd: at.path });
        expect(run.exit, run.text).toBe(0);
        expect(run.text).toContain("PATH=");
        expect(run.text).not.toContain(collector.secret);
        expect(run.text).not.toMatch(/^OTEL_EXPORTER_OTLP_HEADERS=./m);
        expect(collector.calls()).toHaveLength(1);
      });
    }
    await t.step("a tool that reads files", async () => {
      await using collector = new OtlpCollector();
      await using peer = Peer.start(["--allow-read=/"], { env: collector.variables, cwd: "/" });
      await peer.initialize();
      await peer.call("Read", { file_path: at.file });
      for (const pid of [peer.process.pid, ...exporters()]) {
        const { result } = await peer.call("Read", { file_path: `/proc/${pid}/environ` });
        expect(JSON.stringify(result)).not.toContain(collector.secret);
      }
    });
  },
});

/** The processes that export. */
function exporters(): number[] {
  return processesWith("telemetry_exporter.js");
}

Deno.test("telemetry > nothing is exported unless the environment asks for it", async (t) => {
  using at = scene();
  const args = ["Read", JSON.stringify({ file_path: at.file }), `--allow-read=${at.path}`];
  for (
    const more of [{ OTEL_SDK_DISABLED: "true" }, { OTEL_DENO: "false" }, {
      OTEL_EXPORTER_OTLP_ENDPOINT: "",
    }]
  ) {
    await t.step(JSON.stringify(more), async () => {
      await using collector = new OtlpCollector();
      const run = await toolcall(args, { env: { ...collector.variables, ...more } });
      expect(run).toMatchObject({ code: 0, stderr: "" });
      expect(collector.requests).toEqual([]);
    });
  }
  await t.step("OTEL_TRACES_EXPORTER=none exports only metrics", async () => {
    await using collector = new OtlpCollector();
    const env = { ...collector.variables, OTEL_TRACES_EXPORTER: "none" };
    expect((await toolcall(args, { env })).code).toBe(0);
    expect(collector.requests.map(({ path }) => path)).toEqual(["/v1/metrics"]);
  });
  await t.step("a caller that samples nothing gets no span", async () => {
    await using collector = new OtlpCollector();
    const env = { ...collector.variables, TRACEPARENT: `00-${TRACE}-${PARENT}-00` };
    expect((await toolcall(args, { env })).code).toBe(0);
    expect(collector.spans()).toEqual([]);
    expect(collector.points()).toHaveLength(2);
  });
});

Deno.test("telemetry > a collector that fails changes no result", async (t) => {
  using at = scene();
  const args = ["Read", JSON.stringify({ file_path: at.file }), `--allow-read=${at.path}`];
  await t.step("nobody listens", async () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${freePort()}` };
    expect(await toolcall(args, { env })).toMatchObject({ code: 0, stderr: "" });
  });
  await t.step("the variables are wrong", async () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${freePort()}` };
    const run = await toolcall(args, { env: { ...env, OTEL_EXPORTER_OTLP_PROTOCOL: "pigeon" } });
    expect(run.code).toBe(0);
    expect(run.stderr).toMatch(/^toolcall: Cannot export telemetry: .*pigeon\n$/);
  });
  await t.step("the collector never answers", async () => {
    await using collector = new OtlpCollector({ answers: false });
    const env = { ...collector.variables, OTEL_EXPORTER_OTLP_TIMEOUT: "30000" };
    const before = exporters();
    expect(await toolcall(args, { env })).toMatchObject({ code: 0, stderr: "" });
    // The exporter continues by itself, and ends when its time limit has passed.
    const [own] = exporters().filter((pid) => !before.includes(pid));
    if (isLinux) expect(own).toBeDefined();
    if (own !== undefined) Deno.kill(own, "SIGKILL");
  });
});

Deno.test({
  name: "telemetry > a killed program leaves no exporter, and its calls are exported",
  ignore: !isLinux,
  async fn() {
    using at = scene();
    await using collector = new OtlpCollector();
    const before = exporters();
    const peer = Peer.start([`--allow-read=${at.path}`], { env: collector.variables });
    await peer.initialize();
    await peer.call("Read", { file_path: at.file });
    const [own] = exporters().filter((pid) => !before.includes(pid));
    expect(own).toBeDefined();
    peer.process.kill("SIGKILL");
    expect(await until(() => !isAlive(own!))).toBe(true);
    expect(collector.calls()).toHaveLength(1);
    await peer[Symbol.asyncDispose]();
  },
});

Deno.test({
  name: "telemetry > the programs that a command leaves running are ended, and not the exporter",
  ignore: !isLinux,
  async fn() {
    using at = scene();
    await using collector = new OtlpCollector();
    const flags = ["--allow-run=bash,sleep"];
    const command = "setsid -f sleep 300; sleep 300 & echo started";
    const run = await call("Bash", { command }, {
      flags: [...flags, "--allow-run=setsid"],
      ...{ env: collector.variables, cwd: at.path },
    });
    expect(run.text).toContain("started");
    expect(run.text).not.toContain("exporter");
    expect(collector.calls()).toHaveLength(1);
  },
});

Deno.test("telemetry > the default encoding is binary, and the name of the service can be chosen", async () => {
  using at = scene();
  const bodies: string[] = [];
  await using server = countingServer(() => new Response(""));
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://${server.host}`,
    OTEL_RESOURCE_ATTRIBUTES: "service.name=fleet,region=north",
  };
  const args = ["Read", JSON.stringify({ file_path: at.file }), `--allow-read=${at.path}`];
  expect((await toolcall(args, { env })).code).toBe(0);
  expect(server.requests.map(({ path }) => path)).toEqual(["/v1/traces", "/v1/metrics"]);
  for (const { headers, body } of server.requests) {
    expect(headers.get("content-type")).toBe("application/x-protobuf");
    bodies.push(body);
  }
  expect(bodies[0]).toContain("execute_tool Read");
  expect(bodies[0]).toContain("fleet");
  expect(bodies[0]).not.toContain("toolcall-unknown");
});
