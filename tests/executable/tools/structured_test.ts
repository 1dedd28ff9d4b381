/**
 * `--structured`: the data of each tool follows its published output type. The text is the same as
 * without the flag.
 */
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Ajv2020 } from "ajv/dist/2020.js";
import { fileURLToPath } from "node:url";
import { expect } from "@std/expect";
import { publishedOutputs } from "../../../src/runner/registry/published_outputs.ts";
import { copyToWrite } from "../../support/example_world.ts";
import { call, executable, temporaryDirectory, toolcall } from "../../support/executable.ts";
import { modern, world } from "../../support/mcp/client_world.ts";
import { calls, modelServer, says } from "../../support/model_server.ts";
import { countingServer } from "../../support/counting_server.ts";

const ajv = new Ajv2020({ strict: false, allErrors: true });

type Data = Record<string, unknown>;
type Called = { text: string; data: Data; omitted: unknown };

/** A directory, and calls there with and without the flag. `ask` checks the type of the data. */
function desk() {
  const directory = temporaryDirectory();
  const at = (name: string) => `${directory.path}/${name}`;
  const options = (flags: string[]) => ({
    flags: [`--state-dir=${at("state")}`, ...flags],
    cwd: directory.path,
  });
  return {
    at,
    plain: (name: string, args: Data, flags = ["-A"]) => call(name, args, options(flags)),
    async ask(name: string, args: Data, flags = ["-A"]): Promise<Called> {
      const result = await call(name, args, options([...flags, "--structured"]));
      const { structuredContent: data = {} } = result;
      const validate = ajv.compile(publishedOutputs[name]!);
      expect([name, result.text, result.exit]).toEqual([name, result.text, 0]);
      expect({ name, isValid: validate(data), errors: validate.errors, data })
        .toMatchObject({ name, isValid: true });
      const { "toolcall/omitted": omitted } = (result._meta ?? {}) as Data;
      return { text: result.text, data, omitted };
    },
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

/** With everything allowed, and inside the sandbox. */
const grants = (here: { at(name: string): string }) => [
  ["-A"],
  [`--allow-read=${here.at("")}`, `--allow-write=${here.at("")}`, "--allow-run=bash"],
];

Deno.test("structured > Read returns the type and the file of a text, an image, a notebook and a PDF", async () => {
  using here = desk();
  Deno.writeTextFileSync(here.at("a.txt"), "one\ntwo\nthree\n");
  const path = here.at("a.txt");
  for (const flags of grants(here)) {
    const { data, text } = await here.ask("Read", { file_path: path }, flags);
    expect(data).toEqual({
      type: "text",
      file: {
        ...{ filePath: path, content: "one\ntwo\nthree" },
        ...{ numLines: 3, startLine: 1, totalLines: 3 },
      },
    });
    const plain = await here.plain("Read", { file_path: path }, flags);
    expect(plain.text).toBe(text);
    expect(plain.structuredContent).toBeUndefined();
  }
  const part = await here.ask("Read", { file_path: path, offset: 2, limit: 1 });
  expect(part.data["file"]).toEqual({
    ...{ filePath: path, content: "two", numLines: 1, startLine: 2, totalLines: 3 },
  });
  const tree = fileURLToPath(new URL("../../fixtures/tree/", import.meta.url));
  const image = await here.ask("Read", { file_path: `${tree}logo.png` });
  const { size } = Deno.statSync(`${tree}logo.png`);
  expect(image.data).toMatchObject({
    type: "image",
    file: { type: "image/png", originalSize: size },
  });
  const notebook = await here.ask("Read", { file_path: `${tree}analysis.ipynb` });
  expect(notebook.data["type"]).toBe("notebook");
  expect((notebook.data["file"] as { cells: unknown[] }).cells.length).toBe(2);
  const pdf = await here.ask("Read", { file_path: `${tree}report.pdf` });
  expect(pdf.data).toMatchObject({ type: "pdf", file: { filePath: `${tree}report.pdf` } });
});

Deno.test("structured > Write and Edit return the original file and a patch", async () => {
  using here = desk();
  for (const flags of grants(here)) {
    const file_path = here.at("w.txt");
    const made = await here.ask("Write", { file_path, content: "a\nb\n" }, flags);
    expect(made.data).toEqual({
      ...{ type: "create", filePath: file_path, content: "a\nb\n" },
      ...{ structuredPatch: [], originalFile: null },
    });
    const edited = await here.ask("Edit", { file_path, old_string: "b", new_string: "c" }, flags);
    const hunk = { oldStart: 1, oldLines: 2, newStart: 1, newLines: 2, lines: [" a", "-b", "+c"] };
    expect(edited.data).toEqual({
      ...{ filePath: file_path, oldString: "b", newString: "c", originalFile: "a\nb\n" },
      ...{ structuredPatch: [hunk], userModified: false, replaceAll: false },
    });
    const written = await here.ask("Write", { file_path, content: "a\nb\n" }, flags);
    expect(written.data).toMatchObject({ type: "update", originalFile: "a\nc\n" });
    expect((written.data["structuredPatch"] as unknown[]).length).toBe(1);
    Deno.removeSync(file_path);
  }
  // Write does not read a file without permission.
  Deno.writeTextFileSync(here.at("w.txt"), "secret\n");
  const args = { file_path: here.at("w.txt"), content: "x\n" };
  const blind = await here.ask("Write", args, [`--allow-write=${here.at("")}`]);
  expect(blind.data).toMatchObject({ type: "update", originalFile: null, structuredPatch: [] });
});

Deno.test("structured > a field over 64 KiB is omitted and named, and the text is complete", async () => {
  using here = desk();
  const content = `${"x".repeat(99)}\n`.repeat(1_000);
  const file_path = here.at("large.txt");
  const made = await here.ask("Write", { file_path, content });
  expect(Object.keys(made.data).sort()).toEqual([
    "filePath",
    "originalFile",
    "structuredPatch",
    "type",
  ]);
  expect(made.omitted).toEqual(["/content"]);
  const read = await here.ask("Read", { file_path, allow_large: true });
  expect(read.omitted).toEqual(["/file/content"]);
  expect(read.data["file"]).toMatchObject({ numLines: 1_000, totalLines: 1_000 });
  expect(read.text).toContain("  1000\txxx");
  const edited = await here.ask("Edit", {
    file_path,
    old_string: "x\nx",
    new_string: "x\ny",
    replace_all: true,
  });
  expect(edited.omitted).toContain("/originalFile");
  const within = await here.ask("Write", { file_path, content: "x".repeat(60_000) });
  expect((within.data["content"] as string).length).toBe(60_000);
});

Deno.test("structured > Bash returns its output, and the id of a background task", async () => {
  using here = desk();
  for (const flags of grants(here)) {
    const ran = await here.ask("Bash", { command: "echo out; echo err >&2" }, flags);
    expect(ran.data).toEqual({ stdout: "out\nerr\n", stderr: "", interrupted: false });
    const long = await here.ask("Bash", {
      command: "for ((i = 1; i <= 20000; i++)); do echo $i; done",
    }, flags);
    expect(Deno.readTextFileSync(long.data["persistedOutputPath"] as string)).toContain(
      "\n20000\n",
    );
    expect(long.data["persistedOutputSize"]).toBe(108_894);
  }
  const begun = await here.ask("Bash", { command: "sleep 600", run_in_background: true });
  const id = begun.data["backgroundTaskId"] as string;
  expect(begun.text).toContain(id);
  const stopped = await here.ask("TaskStop", { task_id: id });
  expect(stopped.data).toMatchObject({
    task_id: id,
    task_type: "local_bash",
    command: "sleep 600",
  });
  expect(stopped.text).toContain(stopped.data["message"] as string);
});

Deno.test("structured > TodoWrite returns the lists before and after, besides its usual data", async () => {
  using here = desk();
  const todo = { content: "a", status: "pending", activeForm: "b" };
  const done = { ...todo, status: "completed" };
  const first = await here.ask("TodoWrite", { todos: [todo] });
  expect(first.data).toMatchObject({ oldTodos: [], newTodos: [todo], pending: 1 });
  const second = await here.ask("TodoWrite", { todos: [done] });
  expect(second.data).toMatchObject({ oldTodos: [todo], newTodos: [done], completed: 1 });
  const { structuredContent } = await here.plain("TodoWrite", { todos: [todo] });
  expect(Object.keys(structuredContent!).sort())
    .toEqual(["changes", "completed", "in_progress", "pending"]);
});

Deno.test("structured > AskUserQuestion returns the questions and the answers", async () => {
  using here = desk();
  const options = [{ label: "Red", description: "Warm" }, { label: "Blue", description: "Cold" }];
  const question = { question: "Which?", header: "Colour", options, multiSelect: false };
  const asked = await here.ask("AskUserQuestion", {
    questions: [question],
    answers: { "Which?": "Red" },
  });
  expect(asked.data).toMatchObject({ questions: [question], answers: { "Which?": "Red" } });
});

Deno.test("structured > NotebookEdit returns the cell and the notebook before and after", async () => {
  using here = desk();
  const tree = fileURLToPath(new URL("../../fixtures/tree/", import.meta.url));
  const notebook_path = here.at("n.ipynb");
  copyToWrite(`${tree}analysis.ipynb`, notebook_path);
  const original = Deno.readTextFileSync(notebook_path);
  const { data } = await here.ask("NotebookEdit", {
    notebook_path,
    cell_id: "intro",
    new_source: "# New",
  });
  expect(data).toMatchObject({
    ...{ new_source: "# New", cell_id: "intro", cell_type: "markdown", edit_mode: "replace" },
    ...{ language: "python", notebook_path, original_file: original },
    updated_file: Deno.readTextFileSync(notebook_path),
  });
  expect(original).toContain(JSON.stringify(data["old_source"]).slice(1, 8));
});

Deno.test("structured > Glob and Grep return the names, the lines and the counts", async () => {
  using here = desk();
  Deno.writeTextFileSync(here.at("a.txt"), "one\ntwo\n");
  for (const flags of grants(here)) {
    const { data } = await here.ask("Glob", { pattern: "*.txt" }, flags);
    expect(data).toMatchObject({
      ...{ numFiles: 1, filenames: [here.at("a.txt")], truncated: false },
      ...{ totalMatches: 1, countIsComplete: true },
    });
    expect(data["durationMs"]).toBeGreaterThanOrEqual(0);
    const names = await here.ask("Grep", { pattern: "two", glob: "*.txt" }, flags);
    expect(names.data).toMatchObject({ mode: "files_with_matches", numFiles: 1 });
    expect((names.data["filenames"] as string[])[0]).toContain("a.txt");
    const lines = { pattern: "two", path: here.at("a.txt"), output_mode: "content" };
    const found = await here.ask("Grep", lines, flags);
    expect(found.data).toMatchObject({ mode: "content", numLines: 1 });
    expect(found.data["content"]).toContain("two");
    const count = await here.ask("Grep", { ...lines, output_mode: "count" }, flags);
    expect(count.data).toMatchObject({ mode: "count", numMatches: 1 });
  }
});

Deno.test("structured > the task tools return the item, the list and the changed fields", async () => {
  using here = desk();
  const created = await here.ask("TaskCreate", { subject: "a", description: "b" });
  expect(created.data).toEqual({ task: { id: "1", subject: "a", description: "b" } });
  await here.ask("TaskCreate", { subject: "c", description: "d" });
  const change = { taskId: "1", status: "in_progress", owner: "me", addBlocks: ["2"] };
  expect((await here.ask("TaskUpdate", change)).data).toEqual({
    ...{ success: true, taskId: "1", updatedFields: ["owner", "status", "blocks"] },
    statusChange: { from: "pending", to: "in_progress" },
  });
  expect((await here.ask("TaskGet", { taskId: "2" })).data["task"]).toEqual({
    ...{ id: "2", subject: "c", description: "d", status: "pending" },
    ...{ blocks: [], blockedBy: ["1"] },
  });
  expect((await here.ask("TaskList", {})).data["tasks"]).toEqual([
    { id: "1", subject: "a", status: "in_progress", owner: "me", blockedBy: [] },
    { id: "2", subject: "c", status: "pending", blockedBy: ["1"] },
  ]);
  expect((await here.ask("TaskUpdate", { taskId: "1", status: "deleted" })).data).toEqual({
    ...{ success: true, taskId: "1", updatedFields: ["deleted"] },
    statusChange: { from: "in_progress", to: "deleted" },
  });
});

Deno.test("structured > ListMcpResources returns the resources of a server", async () => {
  using here = world(() => ({ it: modern() }));
  const { structuredContent, isError } = await here.call("ListMcpResources", { server: "it" }, [
    ...["--allow-mcp", "--structured"],
  ]);
  expect(isError).toBe(false);
  const validate = ajv.compile(publishedOutputs["ListMcpResources"]!);
  expect([validate(structuredContent), validate.errors]).toEqual([true, null]);
  const about = { uri: "memory://about", name: "about", server: "it" };
  expect(structuredContent).toEqual({
    resources: [{ ...about, description: "What it is", mimeType: "text/plain" }],
  });
});

Deno.test("structured > WebFetch returns the status, the size and the answer", async () => {
  using here = desk();
  await using server = countingServer(() =>
    new Response("the port is 8080", { headers: { "content-type": "text/plain" } })
  );
  const url = `http://${server.host}/a`;
  const flags = [`--allow-net=${server.host}`];
  const { data, text } = await here.ask("WebFetch", { url, prompt: "Which port?" }, flags);
  expect(data).toMatchObject({ bytes: 16, code: 200, codeText: "OK", url, result: text });
  const moving = countingServer(() => Response.redirect("http://example.com/", 302));
  const moved = await here.ask("WebFetch", { url: `http://${moving.host}/`, prompt: "a" }, [
    `--allow-net=${moving.host}`,
  ]);
  expect(moved.data).toMatchObject({ code: 302, bytes: 0 });
  await moving[Symbol.asyncDispose]();
});

Deno.test("structured > WebSearch returns the shown hits", async () => {
  using here = desk();
  await using server = countingServer(() =>
    Response.json({ results: [{ title: "T", url: "https://a.example/x", content: "some text" }] })
  );
  await here.plain("Config", { setting: "search.provider", value: "searxng" });
  await here.plain("Config", { setting: "search.endpoint", value: `http://${server.host}/` });
  const { data } = await here.ask("WebSearch", { query: "rivers" }, [`--allow-net=${server.host}`]);
  const hit = { title: "T", url: "https://a.example/x", snippet: "some text" };
  expect(data).toMatchObject({ query: "rivers", results: [{ content: [hit] }] });
});

Deno.test("structured > Agent returns its last output and its usage", async () => {
  using here = desk();
  Deno.writeTextFileSync(here.at("a.txt"), "one\n");
  await using server = modelServer(
    calls(["fs_read", { path: "a.txt" }]),
    says("It says one."),
  );
  await here.plain("Config", { setting: "model.endpoint", value: server.endpoint });
  await here.plain("Config", { setting: "model.default", value: "llama" });
  const { data, text } = await here.ask("Agent", {
    description: "Look",
    prompt: "What is in a.txt?",
  }, ["-A", `--allow-net=${server.host}`]);
  expect(data).toMatchObject({
    ...{ status: "completed", prompt: "What is in a.txt?", totalToolUseCount: 1 },
    content: [{ type: "text", text: "It says one." }],
  });
  expect(text).toContain(data["agentId"] as string);
});

Deno.test("structured > tools/list has the published types only with the flag, and a client validates results by them", async () => {
  using here = desk();
  Deno.writeTextFileSync(here.at("a.txt"), "one\n");
  const stdin = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const state = `--state-dir=${here.at("state")}`;
  const listed = async (flags: string[]) => {
    const { stdout } = await toolcall([state, ...flags], { stdin });
    const { tools } = JSON.parse(stdout).result;
    return tools.filter((tool: { outputSchema?: unknown }) => tool.outputSchema !== undefined)
      .map(({ name }: { name: string }) => name).sort();
  };
  const today = ["TaskOutput", "TodoWrite", "blog_notion", "logit"];
  expect(await listed([])).toEqual(today.toSorted());
  expect(await listed(["--structured"]))
    .toEqual([...new Set([...today, ...Object.keys(publishedOutputs)])].sort());
  const client = new Client({ name: "test", version: "1" });
  const args = ["mcp", "-A", state, "--structured"];
  await client.connect(new StdioClientTransport({ command: executable, args, cwd: here.at("") }));
  await client.listTools();
  const todos = [{ content: "a", status: "pending", activeForm: "b" }];
  const rows: [name: string, args: Data][] = [
    ["Read", { file_path: here.at("a.txt") }],
    ["Write", { file_path: here.at("b.txt"), content: "x".repeat(70_000) }],
    ["Bash", { command: "echo hi" }],
    ["TodoWrite", { todos }],
  ];
  for (const [name, args] of rows) {
    // The client throws if the data does not fit the listed schema.
    const { structuredContent, isError } = await client.callTool({ name, arguments: args });
    expect({ name, isError, has: structuredContent !== undefined })
      .toEqual({ name, isError: false, has: true });
  }
  await client.close();
});
