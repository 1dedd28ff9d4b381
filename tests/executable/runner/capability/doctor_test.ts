/** The built `toolcall doctor` on providers and MCP servers. */
import { expect } from "@std/expect";
import { hasTerminals } from "../../../support/pseudo_terminal.ts";
import { executable, oneLine, type Run, toolcall } from "../../../support/executable.ts";
import { modern, nasty, TOKEN, world } from "../../../support/mcp/client_world.ts";
import { trustFile } from "../../../support/trust.ts";

interface Finding {
  kind: string;
  name: string;
  ok: boolean;
  detail: string;
  advice?: string;
}

/** The findings of a kind by name: whether it can be used, the detail, and the advice if any. */
function reported(run: Run, kind: string): Record<string, unknown[]> {
  const { findings } = oneLine(run) as { findings: Finding[] };
  return Object.fromEntries(
    findings.filter((each) => each.kind === kind).map(({ name, ok, detail, advice }) => [
      name,
      [ok, detail, ...(advice === undefined ? [] : [advice])],
    ]),
  );
}

/** Servers of each kind. */
const servers = (directory: string) => ({
  plain: { ...nasty("plain", directory) },
  modern: modern(),
  exits: nasty("exit"),
  gone: { command: "no-such-program", args: ["--token=abc"] },
  directory: { command: "/bin/sh", cwd: "nowhere" },
  unset: { url: "https://x.test/${NOT_SET}" },
  typo: { comand: "npx" },
  web: { url: `https://user:${TOKEN}@x.test/${TOKEN}/mcp` },
  off: { command: "/bin/sh", disabled: true },
});

/** The findings about the servers that no flag makes usable. */
const unusable = (path: string) => ({
  gone: [
    false,
    "stdio, no-such-program: no such program in PATH",
    "install no-such-program, or correct PATH",
  ],
  directory: [
    false,
    `stdio, /bin/sh: Cannot start "/bin/sh": the directory "${path}/nowhere" does not exist`,
    `correct "directory" under "mcpServers" in ${path}/toolcall.json`,
  ],
  unset: [
    false,
    "the environment variable NOT_SET is not set; set it, or write ${NOT_SET:-default}",
    `correct "unset" under "mcpServers" in ${path}/toolcall.json`,
  ],
  typo: [
    false,
    'it has no key "comand"; did you mean "command"?',
    `correct "typo" under "mcpServers" in ${path}/toolcall.json`,
  ],
});

Deno.test("doctor > MCP servers are checked and not started, and --allow-mcp starts the named ones", async (t) => {
  using place = world(servers);
  const path = Deno.realPathSync(place.path);
  const deno = `stdio, ${Deno.execPath()}`;
  const kept = () => [place.kept(), read(`${path}/starts`)];
  await t.step("no server starts if --allow-mcp is absent", async () => {
    const run = await place.run(["doctor", "--format=json"]);
    expect(reported(run, "server")).toEqual({
      plain: [true, `${deno}; not asked without --allow-mcp=plain`],
      modern: [true, `${deno}; not asked without --allow-mcp=modern`],
      exits: [true, `${deno}; not asked without --allow-mcp=exits`],
      web: [true, "http or sse, https://x.test; not asked without --allow-mcp=web"],
      ...unusable(path),
    });
    expect(reported(run, "capability")["MCP server"]).toEqual([
      true,
      "configured: plain, modern, exits, web",
    ]);
    expect(kept()).toEqual(["", ""]);
    expect(run.stdout).not.toContain(TOKEN);
  });
  await t.step("--allow-mcp starts the named servers", async () => {
    const flags = ["--allow-mcp=plain,modern,exits,gone,web", "--deny-mcp=web"];
    const run = await place.run(["doctor", "--format=json", ...flags]);
    const { plain, exits, ...others } = reported(run, "server");
    expect(others).toEqual({
      modern: [true, `${deno}: 2 tools`],
      web: [true, "http or sse, https://x.test; not asked: --deny-mcp=web forbids it"],
      ...unusable(path),
    });
    expect(plain![0]).toBe(true);
    expect(plain![1]).toMatch(/: \d\d tools$/);
    expect(exits![0]).toBe(false);
    expect(exits![1]).toContain("exit code 3");
    expect(exits![2]).toBe(`correct its entry in ${path}/toolcall.json`);
    expect(read(`${path}/starts`)).toBe(".");
    expect(run.stdout).not.toContain(TOKEN);
  });
});

function read(path: string): string {
  try {
    return Deno.readTextFileSync(path).replaceAll(/./g, ".");
  } catch {
    return "";
  }
}

Deno.test("doctor > an unusable configuration is reported, and the other findings too", async () => {
  using place = world(() => ({}));
  const run = await place.run(["doctor", "--format=json", "--config=nowhere.json"]);
  expect(reported(run, "server")).toEqual({});
  const { configuration } = reported(run, "configuration");
  expect(configuration![0]).toBe(false);
  expect(configuration![1]).toMatch(/nowhere\.json": no such file$/);
  expect(reported(run, "capability")["MCP server"]![0]).toBe(false);
  expect(reported(run, "sandbox")["landlock"]).toBeDefined();
});

/** Configurations that no call can use, although their servers can be read. */
const faults: [name: string, config: Record<string, unknown>, said: string][] = [
  [
    "a bundle",
    { bundles: { mine: { required: ["Reed"] } } },
    '/bundles/mine/required/0: unknown tool "Reed"; did you mean "Read"? See "toolcall config check"',
  ],
  [
    "a disabled tool",
    { tools: { disabled: ["Reed"] } },
    '/tools/disabled/0: unknown tool "Reed"; did you mean "Read"? See "toolcall config check"',
  ],
  [
    "a policy",
    { policy: { Reed: { maxRetries: 1 } } },
    '/policy/Reed: unknown tool "Reed"; did you mean "Read"? See "toolcall config check"',
  ],
];

Deno.test("doctor > a fault elsewhere in the configuration is reported beside its servers", async (t) => {
  for (const [name, config, said] of faults) {
    await t.step(name, async () => {
      using place = world(() => ({}));
      const path = `${place.path}/toolcall.json`;
      const mcpServers = { gone: { command: "no-such-program" } };
      Deno.writeTextFileSync(path, JSON.stringify({ mcpServers, ...config }));
      const run = await place.run(["doctor", "--format=json"]);
      const detail = `Cannot use the configuration "${path}": ${said}`;
      expect(reported(run, "configuration")).toEqual({ configuration: [false, detail] });
      expect(Object.keys(reported(run, "server"))).toEqual(["gone"]);
      expect(reported(run, "bundle")["all"]![0]).toBe(true);
    });
  }
});

Deno.test("doctor > a model is reported as missing only while its key is missing", async () => {
  using place = world(() => ({}));
  for (const [setting, value] of [["endpoint", "https://x.test/v1"], ["default", "m"]]) {
    await place.run(["-A", "Config", JSON.stringify({ setting: `model.${setting}`, value })]);
  }
  const missing = await place.run(["doctor", "--format=json"], { env: { OPENAI_API_KEY: "" } });
  expect(reported(missing, "capability")["model"]!.slice(0, 2)).toEqual([
    false,
    "m at https://x.test/v1: the variable OPENAI_API_KEY is not set",
  ]);
  const there = await place.run(["doctor", "--format=json"], { env: { OPENAI_API_KEY: TOKEN } });
  expect(reported(there, "capability")["model"]).toEqual([
    true,
    "m at https://x.test/v1, with the key in OPENAI_API_KEY",
  ]);
});

Deno.test({
  name: "doctor > no line is wider than the terminal, or contains control characters",
  ignore: !hasTerminals,
  async fn() {
    using place = world((directory) => ({
      exits: nasty("exit"),
      long: { command: `${directory}/${"very-".repeat(30)}long`, args: ["\u001b]0;x\u0007"] },
    }));
    const flags = `--root=${place.path} --state-dir=${place.path}/state --allow-mcp`;
    const { stdout } = await new Deno.Command("script", {
      args: ["-qec", `stty cols 60 rows 24; exec '${executable}' doctor ${flags}`, "/dev/null"],
      env: { TERM: "xterm-256color", TOKEN },
      stdin: "null",
    }).output();
    const text = new TextDecoder().decode(stdout).replaceAll("\r\n", "\n");
    // deno-lint-ignore no-control-regex
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]/);
    expect(text).not.toContain(TOKEN);
    expect(text.replaceAll(/\s+/g, " ")).toContain("exit code 3");
    // A word of a command is not broken, so that it can be pasted.
    const wide = text.split("\n").filter((line) => [...line].length > 60);
    expect(wide.filter((line) => !/^ +'\{"setting":.*\}'$/.test(line))).toEqual([]);
    const pasted = text.replaceAll(/ \\\n +/g, " ");
    expect(pasted).toContain(
      `\n           toolcall -A Config '{"setting":"search.provider","value":"searxng"}'\n`,
    );
    const unwrapped = await toolcall(["doctor"], { cwd: place.path });
    expect(unwrapped.stdout).not.toContain("\\\n");
  },
});

Deno.test("doctor > each bundle is reported as usable or not, with the tools that it omits", async () => {
  using place = world(() => ({}));
  const bundle = {
    required: ["WebSearch", "mcp__none__a"],
    optional: ["Agent", "Read", "blog_notion"],
  };
  const served = { required: ["mcp__it__echo"] };
  const config = { bundles: { mine: bundle, served }, mcpServers: { it: nasty("plain") } };
  Deno.writeTextFileSync(`${place.path}/toolcall.json`, JSON.stringify(config));
  trustFile(`${place.path}/toolcall.json`, `${place.path}/state`);
  const run = await place.run(["doctor", "--format=json", "--allow-mcp=it"]);
  const bundles = (JSON.parse(run.stdout).findings as Record<string, unknown>[])
    .filter(({ kind }) => kind === "bundle");
  expect(bundles.map(({ name }) => name)).toEqual(
    ["code_agent", "blog_agent", "read_only", "all", "compat", "mine", "served"],
  );
  expect(bundles[0]).toMatchObject({ ok: true, omitted: ["web_search"] });
  expect(bundles[5]).toMatchObject({ ok: false, omitted: ["Agent", "blog_notion"] });
  expect(bundles[5]!["detail"]).toMatch(
    /^missing: WebSearch \(it needs search provider\), mcp__none__a \(Unknown tool "mcp__none__a": No MCP server "none" .*\); omitted: Agent \(it needs model\), blog_notion \(it needs notion\)$/,
  );
  expect(bundles[6]).toMatchObject({ ok: true, detail: "" });
});
