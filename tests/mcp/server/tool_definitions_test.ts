/** The definitions of tools that an MCP client gets, and its conclusions from them. */
import { expect } from "@std/expect";
import { call, oneLine, temporaryDirectory, toolcall } from "../../support/executable.ts";
import { Peer } from "../../support/mcp/peer.ts";
import { type Listed, listed } from "./listed_tools.ts";

Deno.test("tools/list > the list is the same over MCP, by JSON-RPC and by the command list, with names that APIs accept", async () => {
  const overMcp = await listed();
  const byList = oneLine(await toolcall(["list", "--format=mcp"])) as { tools: Listed[] };
  const stdin = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const byRpc = oneLine(await toolcall([], { stdin })) as { result: { tools: Listed[] } };
  expect(byList.tools).toEqual(overMcp);
  expect(byRpc.result.tools).toEqual(overMcp);
  const names = overMcp.map(({ name }) => name);
  expect(names.filter((name) => !/^[A-Za-z0-9_-]{1,64}$/.test(name))).toEqual([]);
  for (const name of ["fs_list", "fs_read", "fs_write"]) expect(names).toContain(name);
  // described_tools_test.ts compares all of them.
  for (const name of ["Read", "TodoWrite", "fs_read"]) {
    const one = oneLine(await toolcall(["describe", name, "--format=mcp"])) as Listed;
    expect(one).toEqual(overMcp.find((tool) => tool.name === name));
  }
});

Deno.test("tools/list > the list has only the tools that some call may use under the flags", async () => {
  const names = async (...flags: string[]) => (await listed(flags)).map(({ name }) => name);
  const none = await names();
  expect(none).toContain("TodoWrite");
  for (const name of ["Read", "Write", "Bash", "WebFetch", "Agent"]) {
    expect(none).not.toContain(name);
  }
  const read = await names("--allow-read=.");
  // The tool file can read. Edit also needs to write.
  for (const name of ["Read", "Grep", "file", "calendar"]) expect(read).toContain(name);
  for (const name of ["Write", "Edit", "Bash", "git"]) expect(read).not.toContain(name);
  const more = await names("--allow-read=.", "--allow-write=.", "--allow-run=bash", "--allow-net");
  for (const name of ["Edit", "Bash", "git", "WebFetch", "Agent"]) expect(more).toContain(name);
  expect(await names("-A", "--deny-run")).not.toContain("Bash");
  expect((await names("-A")).length).toBe((await listed()).length);
});

Deno.test("tools/call > a tool can be called by its listed name and by its original name", async () => {
  using directory = temporaryDirectory();
  Deno.writeTextFileSync(`${directory.path}/file.txt`, "what is inside\n");
  await using peer = Peer.start([`--allow-read=${directory.path}`], { cwd: directory.path });
  await peer.initialize();
  for (const name of ["fs_read", "fs.read"]) {
    expect((await peer.call(name, { path: "file.txt" })).result.content[0].text)
      .toBe("what is inside\n");
    const options = { flags: ["-R=."], cwd: directory.path };
    expect((await call(name, { path: "file.txt" }, options)).text).toBe("what is inside\n");
  }
});

Deno.test("tools/list > each tool has its category, optionality and usage hint, and a required one asks to be loaded", async () => {
  const all = oneLine(await toolcall(["list", "--format=json"])) as Record<string, string>[];
  const tools = await listed();
  expect(tools.map(({ description }) => description)).toEqual(
    all.map(({ description, usageHint }) => `${description} When to use: ${usageHint}.`),
  );
  const listedMeta = tools.map(({ _meta }) => _meta);
  expect(listedMeta).toEqual(all.map(({ category, optionality, usageHint }) => ({
    "toolcall/category": category,
    "toolcall/optionality": optionality,
    "toolcall/usageHint": usageHint,
    ...(optionality === "required" && { "anthropic/alwaysLoad": true }),
  })));
});

/** The conclusion of a client on each tool: it reads, adds or destroys, here or anywhere. */
const conclusions: Readonly<Record<string, string>> = {
  Agent: "destroys anywhere",
  AskUserQuestion: "reads here",
  Bash: "destroys anywhere",
  Config: "destroys here",
  Edit: "destroys here",
  EnterPlanMode: "adds here",
  ExitPlanMode: "reads here",
  Glob: "reads here",
  Grep: "reads here",
  ListMcpResources: "reads here",
  Monitor: "destroys anywhere",
  NotebookEdit: "destroys here",
  Read: "reads here",
  ReadMcpResource: "reads here",
  ReadMcpResourceDir: "reads here",
  TaskCreate: "adds here",
  TaskGet: "reads here",
  TaskList: "reads here",
  TaskOutput: "reads here",
  TaskStop: "destroys here",
  TaskUpdate: "adds here",
  TodoWrite: "adds here",
  WebFetch: "reads anywhere",
  WebSearch: "reads anywhere",
  Write: "destroys here",
  apply_patch: "destroys here",
  blog_notion: "adds anywhere",
  calendar: "reads anywhere",
  code_edit: "destroys here",
  file: "destroys here",
  fs_list: "reads here",
  fs_read: "reads here",
  fs_write: "destroys here",
  git: "destroys anywhere",
  logit: "reads here",
  navigate: "reads here",
  rss_feed: "reads anywhere",
  search: "reads here",
  static_links: "reads anywhere",
  test: "destroys anywhere",
};

Deno.test("tools/list > the annotations lead a client to the right conclusion about each tool", async () => {
  const tools = await listed();
  const concluded = tools.map(({ name, annotations }) => {
    // The specification's defaults for hints that are not given.
    const defaults = { readOnlyHint: false, destructiveHint: true, openWorldHint: true };
    const { readOnlyHint, destructiveHint, openWorldHint } = { ...defaults, ...annotations };
    const does = readOnlyHint ? "reads" : destructiveHint ? "destroys" : "adds";
    return [name, `${does} ${openWorldHint ? "anywhere" : "here"}`];
  });
  expect(Object.fromEntries(concluded)).toEqual(conclusions);
  for (const { title, annotations } of tools) expect(annotations.title).toBe(title);
  expect(tools.find(({ name }) => name === "TodoWrite")?.annotations["idempotentHint"]).toBe(true);
});
