/** Rules of tools that a schema cannot express, as problems of the arguments (finding A5). */
import { expect } from "@std/expect";
import { submit } from "../submit/submitted.ts";
import { withTools } from "../tools_directory/shouting_tool.ts";

/** A call that is refused: the tool, its arguments, and the paths of all problems in order. */
type Row = [name: string, args: Record<string, unknown>, ...paths: string[]];

const edit = { file_path: "/a", old_string: "a", new_string: "a" };
const both = { allowed_domains: ["a.com"], blocked_domains: ["b.com", "b c"] };
const doing = { content: "a", activeForm: "a", status: "in_progress" };
const question = { question: "Which?", header: "H", options: [] };
const options = [{ label: "a", description: "x" }, { label: "a", description: "x" }];

const ROWS: Row[] = [
  ["Bash", { command: "x", timeout: 700_000, restart: true }, "/timeout", "/restart"],
  [
    "Bash",
    { command: "x\0", session: "s", run_in_background: true },
    "/run_in_background",
    "/command",
  ],
  ["Edit", edit, "/new_string"],
  ["Edit", { ...edit, file_path: "/a/", extra: 1 }, "/extra", "/file_path", "/new_string"],
  ["Edit", { file_path: "/a" }, "/old_string", "/new_string"],
  [
    "Edit",
    { file_path: "/a", edits: [{ old_string: "", new_string: "" }], new_string: "b" },
    ...["/edits/0/old_string", "/edits", "/edits/0/new_string"],
  ],
  ["git", { action: "commit" }, "/message"],
  ["git", { action: "log", name: "-x", message: "b" }, "/name", "/message", "/name"],
  ["git", { action: "blame", start_line: 3, end_line: 1 }, "/paths", "/end_line"],
  ["TodoWrite", { todos: [doing, doing] }, "/todos"],
  ["TodoWrite", { todos: 1 }, "/todos"],
  ["WebSearch", { query: "x", ...both }, "/blocked_domains", "/blocked_domains/1"],
  [
    "NotebookEdit",
    { notebook_path: "/a/", new_source: "", edit_mode: "insert" },
    "/notebook_path",
    "/cell_type",
  ],
  ["Read", { file_path: "/a", pages: "1-21" }, "/pages"],
  ["Read", { file_path: "/a/", pages: "3-1", offset: 0 }, "/offset", "/file_path", "/pages"],
  ["Write", { file_path: "/a/", content: "" }, "/file_path"],
  ["fs.write", { path: "../a", content: "" }, "/path"],
  ["fs.read", { path: "a\0" }, "/path"],
  ["file", { action: "write", path: "/a/" }, "/path", "/content"],
  [
    "code_edit",
    { action: "delete", path: "a/", new_string: "" },
    "/path",
    "/new_string",
    "/start_line",
  ],
  ["navigate", { action: "outline", name: "a b" }, "/path", "/name"],
  ["static_links", { path: "a", urls: ["ftp://a", "http://b"] }, "/urls", "/urls/0"],
  ["calendar", { path: "a", url: "x", time_zone: "Mars" }, "/url", "/path", "/time_zone"],
  ["logit", {}, "/schema"],
  ["Monitor", { description: "x" }, "/command"],
  ["Monitor", { description: "x", ws: { url: "ws://a" } }, "/ws"],
  ["Config", { setting: "plan_mode", value: {} }, "/value"],
  ["TaskStop", { task_id: "a", shell_id: "b" }, "/shell_id"],
  ["WebFetch", { url: "ftp://a", prompt: "x" }, "/url"],
  ["rss_feed", { url: "ftp://a" }, "/url"],
  ["resource.read", { uri: "http://a" }, "/uri"],
  ["apply_patch", { patch: "x" }, "/patch"],
  [
    "AskUserQuestion",
    { questions: [{ ...question, options }, { ...question, options }], answers: { a: "b" } },
    ...["/questions/1/question", "/questions/0/options/1/label", "/questions/1/options/1/label"],
    "/answers/a",
  ],
  ["memory", { command: "create", path: "/x" }, "/file_text", "/path"],
  [
    "str_replace_based_edit_tool",
    { command: "insert", path: "a" },
    "/path",
    "/insert_line",
    "/insert_text",
  ],
  ["read_file", { path: "/a", file_path: "/b" }, "/path"],
];

/** The code and the paths of the problems of each call, in order of the calls. */
async function refusals(calls: readonly unknown[], flags: string[]): Promise<unknown[]> {
  const { results } = await submit(calls, { flags });
  return results.sort((a, b) => Number(a.id) - Number(b.id)).map(({ _meta, content }) => {
    const error = _meta?.["toolcall/error"];
    const problems = error?.["problems"] as { path: string }[] | undefined;
    return { code: error?.code ?? content, paths: problems?.map(({ path }) => path) };
  });
}

Deno.test("rules > every broken rule is a problem with its path, before the permissions are asked", async () => {
  const calls = ROWS.map(([name, args], id) => ({ id, name, arguments: args }));
  const found = await refusals(calls, ["--bundle=compat"]);
  const label = (index: number, value: unknown) => ({ call: ROWS[index]!.slice(0, 2), value });
  expect(found.map((value, index) => label(index, value))).toEqual(
    ROWS.map(([, , ...paths], index) => label(index, { code: "invalid_arguments", paths })),
  );
});

const RANGE = `import { defineTool } from "toolcall";
export default defineTool({
  name: "range", title: "Range", description: "Counts.", category: "utility", sideEffect: "none",
  optionality: "optional", usageHint: "x", examples: [],
  inputSchema: {
    type: "object", required: ["from", "to"], additionalProperties: false,
    properties: { from: { type: "integer" }, to: { type: "integer" }, step: { type: "integer" } },
  },
  rules: ({ from, to, step = 1 }) => [
    ...(from > to ? [{ path: "/to", message: "must not be below from" }] : []),
    ...(step === 0 ? [{ path: "/step", message: "must not be 0" }] : []),
  ],
  permissions: { kinds: [], needs: () => [] },
  run: ({ from, to }) => String(to - from),
});
`;

Deno.test("rules > a tool of a tools directory declares rules in the same way", async () => {
  using here = withTools({
    "range.ts": RANGE,
    "wrong.ts": RANGE.replace('"range"', '"wrong"').replace(
      "step === 0 ? [{",
      "true ? [{ x: 1 }, {",
    ),
  });
  const call = (id: number, args: unknown, name = "range") => ({ id, name, arguments: args });
  const found = await refusals([
    call(0, { from: 2, to: 1, step: 0 }),
    call(1, { from: 2, to: 1, step: "x" }),
    call(2, { from: 2, step: 0 }),
    call(3, { from: 1, to: 2 }),
    call(4, { from: 1, to: 2 }, "wrong"),
  ], [`--tools-dir=${here.tools}`]);
  expect(found).toEqual([
    { code: "invalid_arguments", paths: ["/to", "/step"] },
    { code: "invalid_arguments", paths: ["/step", "/to"] },
    { code: "invalid_arguments", paths: ["/to", "/step"] },
    { code: [{ type: "text", text: "1" }], paths: undefined },
    { code: "unavailable", paths: undefined },
  ]);
});
