/** The input schemas of the catalog, compared with the fields that callers rely on. */
import { expect } from "@std/expect";
import { entries } from "../../../tools/_generated/index.ts";

/** A field: its type, with `!` if it is required, then its values and its limits. */
type Field = [type: string, limits?: Record<string, unknown>];

/** The fields of each tool. */
const fields: Readonly<Record<string, Record<string, Field>>> = {
  Bash: {
    command: ["string!"],
    timeout: ["integer", { maximum: 7_200_000 }],
    description: ["string"],
    run_in_background: ["boolean"],
    dangerouslyDisableSandbox: ["boolean"],
    session: ["string"],
    restart: ["boolean"],
    _simulatedSedEdit: ["object"],
  },
  Read: {
    file_path: ["string!", { pattern: "^/" }],
    offset: ["integer", { minimum: 1 }],
    limit: ["integer", { minimum: 1 }],
    pages: ["string"],
    allow_large: ["boolean"],
  },
  Write: { file_path: ["string!", { pattern: "^/" }], content: ["string!"] },
  Edit: {
    file_path: ["string!", { pattern: "^/" }],
    old_string: ["string"],
    new_string: ["string"],
    replace_all: ["boolean", { default: false }],
    edits: ["array"],
  },
  apply_patch: { patch: ["string!"] },
  file: {
    action: ["string!", { enum: ["read", "write", "list"] }],
    path: ["string!"],
    content: ["string"],
  },
  code_edit: {
    action: ["string!", { enum: ["replace", "insert", "delete"] }],
    path: ["string!"],
    old_string: ["string"],
    new_string: ["string"],
    replace_all: ["boolean"],
    start_line: ["integer", { minimum: 1 }],
    end_line: ["integer", { minimum: 1 }],
  },
  search: {
    query: ["string!"],
    path: ["string"],
    glob: ["string"],
    regex: ["boolean", { default: false }],
    ignore_case: ["boolean", { default: false }],
    context: ["integer", { default: 0 }],
    limit: ["integer", { minimum: 1, default: 200 }],
    offset: ["integer", { default: 0 }],
  },
  navigate: {
    action: ["string!", { enum: ["outline", "definitions", "references"] }],
    path: ["string"],
    name: ["string"],
    language: ["string"],
    head_limit: ["integer", { minimum: 1, default: 200 }],
    offset: ["integer", { minimum: 0, default: 0 }],
  },
  test: {
    path: ["string", { default: "." }],
    runner: ["string", { enum: ["deno", "node", "cargo", "go", "python", "make"] }],
    timeout: ["integer", { maximum: 600_000, default: 600_000 }],
  },
  git: {
    action: ["string!", {
      enum: ["status", "diff", "log", "show", "blame", "add", "commit", "branch", "checkout"],
    }],
    paths: ["array"],
    revision: ["string"],
    message: ["string"],
    name: ["string"],
    limit: ["integer", { minimum: 1, maximum: 1000 }],
    skip: ["integer", { minimum: 0 }],
    staged: ["boolean"],
    stat: ["boolean"],
    all: ["boolean"],
    create: ["boolean"],
    delete: ["boolean"],
    start_line: ["integer", { minimum: 1 }],
    end_line: ["integer", { minimum: 1 }],
  },
  Glob: { pattern: ["string!"], path: ["string"] },
  Grep: {
    pattern: ["string!"],
    path: ["string"],
    glob: ["string"],
    output_mode: ["string", {
      enum: ["content", "files_with_matches", "count"],
      default: "files_with_matches",
    }],
    "-B": ["integer"],
    "-A": ["integer"],
    "-C": ["integer"],
    context: ["integer"],
    "-n": ["boolean", { default: true }],
    "-i": ["boolean"],
    "-o": ["boolean"],
    type: ["string"],
    head_limit: ["integer", { default: 250 }],
    offset: ["integer"],
    multiline: ["boolean"],
  },
  Agent: {
    description: ["string!"],
    prompt: ["string!"],
    subagent_type: ["string"],
    model: ["string", { enum: ["sonnet", "opus", "haiku", "fable"] }],
    resume: ["string"],
    run_in_background: ["boolean"],
    max_turns: ["integer"],
    name: ["string"],
    team_name: ["string"],
    mode: ["string"],
    effort: ["string", { enum: ["low", "medium", "high", "xhigh", "max"] }],
    isolation: ["string", { enum: ["worktree", "remote"] }],
  },
  blog_notion: { title: ["string!"], content: ["string!"], parent: ["string"] },
  logit: {
    schema: ["object"],
    grammar: ["string"],
    text: ["string", { default: "" }],
    tokens: ["array or object"],
    end_tokens: ["array", { default: [], maxItems: 100 }],
  },
  WebSearch: {
    query: ["string!"],
    allowed_domains: ["array"],
    blocked_domains: ["array"],
  },
  WebFetch: { url: ["string!", { format: "uri" }], prompt: ["string!"], offset: ["integer"] },
  rss_feed: {
    url: ["string!", { format: "uri" }],
    since: ["string"],
    limit: ["integer", { minimum: 1, maximum: 200, default: 20 }],
  },
  calendar: {
    path: ["string"],
    url: ["string", { format: "uri" }],
    from: ["string"],
    to: ["string"],
    time_zone: ["string", { default: "UTC" }],
    limit: ["integer", { minimum: 1, maximum: 1000, default: 100 }],
  },
  static_links: {
    path: ["string"],
    urls: ["array", { minItems: 1, maxItems: 50 }],
    limit: ["integer", { minimum: 1, maximum: 1000, default: 100 }],
    fail_on_broken: ["boolean", { default: false }],
  },
  TodoWrite: { todos: ["array!"] },
  "TodoWrite/todos": {
    content: ["string!"],
    status: ["string!", { enum: ["pending", "in_progress", "completed"] }],
    activeForm: ["string!"],
  },
  AskUserQuestion: {
    questions: ["array!", { minItems: 1, maxItems: 4 }],
    answers: ["object"],
    annotations: ["object"],
    metadata: ["object"],
  },
  "AskUserQuestion/questions": {
    question: ["string!"],
    header: ["string!", { maxLength: 12 }],
    options: ["array!", { minItems: 2, maxItems: 4 }],
    multiSelect: ["boolean"],
  },
  "AskUserQuestion/questions/options": {
    label: ["string!"],
    description: ["string!"],
    preview: ["string"],
  },
  Config: { setting: ["string!"], value: ["string or boolean or number or array or object"] },
  TaskOutput: {
    task_id: ["string!"],
    block: ["boolean", { default: true }],
    timeout: ["integer"],
  },
  TaskStop: { task_id: ["string"], shell_id: ["string"] },
  NotebookEdit: {
    notebook_path: ["string!", { pattern: "^/" }],
    new_source: ["string!"],
    cell_id: ["string"],
    cell_type: ["string", { enum: ["code", "markdown"] }],
    edit_mode: ["string", { enum: ["replace", "insert", "delete"] }],
  },
  ListMcpResources: { server: ["string"] },
  ReadMcpResource: { server: ["string!"], uri: ["string!"] },
  ReadMcpResourceDir: { server: ["string!"], uri: ["string!"] },
  TaskCreate: {
    subject: ["string!"],
    description: ["string!"],
    activeForm: ["string"],
    metadata: ["object"],
  },
  TaskGet: { taskId: ["string!"] },
  TaskList: {},
  TaskUpdate: {
    taskId: ["string!"],
    subject: ["string"],
    description: ["string"],
    activeForm: ["string"],
    status: ["string", { enum: ["pending", "in_progress", "completed", "deleted"] }],
    addBlocks: ["array"],
    addBlockedBy: ["array"],
    owner: ["string"],
    metadata: ["object"],
  },
  Monitor: {
    description: ["string!"],
    timeout_ms: ["integer", { minimum: 1, default: 300_000 }],
    command: ["string"],
    ws: ["object"],
  },
  EnterPlanMode: {},
  ExitPlanMode: { plan: ["string"], allowedPrompts: ["array"] },
  "ExitPlanMode/allowedPrompts": { tool: ["string!"], prompt: ["string!"] },
  "fs.read": { path: ["string!"] },
  "fs.write": { path: ["string!"], content: ["string!"] },
  "fs.list": { path: ["string"] },
};

/** The required aliases. */
const aliases: Readonly<Record<string, string>> = {
  FileRead: "Read",
  FileWrite: "Write",
  FileEdit: "Edit",
  KillShell: "TaskStop",
  Task: "Agent",
  fs_read: "fs.read",
  fs_write: "fs.write",
  fs_list: "fs.list",
};

type Schema = Record<string, unknown>;

const schemas = new Map(
  await Promise.all(entries.map(async ({ name, load }) => {
    const { metadata } = await load();
    return [name, metadata.inputSchema] as [string, Schema];
  })),
);

/** The object schema at `TOOL/PROPERTY/…`. A property is an array, and its items are meant. */
function schemaAt(path: string): Schema {
  const [tool, ...properties] = path.split("/");
  let schema = schemas.get(tool!)!;
  for (const name of properties) {
    schema = (schema["properties"] as Record<string, Schema>)[name]!["items"] as Schema;
  }
  return schema;
}

function typeOf({ type, anyOf }: Schema): string {
  return anyOf === undefined ? String(type) : (anyOf as Schema[]).map(typeOf).join(" or ");
}

for (const [path, expected] of Object.entries(fields)) {
  Deno.test(`catalogue > the fields of ${path} have the listed names, types, values and limits`, () => {
    const schema = schemaAt(path);
    const properties = schema["properties"] as Record<string, Schema>;
    const required = (schema["required"] ?? []) as string[];
    const types = Object.entries(properties).map(([name, property]) => [
      name,
      `${typeOf(property)}${required.includes(name) ? "!" : ""}`,
    ]);
    const wanted = Object.entries(expected).map(([name, [type]]) => [name, type]);
    expect(Object.fromEntries(types)).toEqual(Object.fromEntries(wanted));
    for (const [name, [, limits = {}]] of Object.entries(expected)) {
      const found = Object.keys(limits).map((key) => [key, sorted(properties[name]![key])]);
      const right = Object.entries(limits).map(([key, value]) => [key, sorted(value)]);
      expect({ name, limits: found }).toEqual({ name, limits: right });
    }
    // The published type of ExitPlanMode allows other properties.
    expect(schema["additionalProperties"]).toBe(path === "ExitPlanMode");
  });
}

function sorted(value: unknown): unknown {
  return Array.isArray(value) ? [...value].sort() : value;
}

Deno.test("catalogue > every tool of the table exists, and its aliases work", () => {
  const tools = Object.keys(fields).filter((path) => !path.includes("/"));
  expect(tools.filter((name) => !schemas.has(name))).toEqual([]);
  const names = entries.flatMap((entry) => [entry.name, ...entry.aliases]);
  expect(new Set(names).size).toBe(names.length);
  for (const [alias, name] of Object.entries(aliases)) {
    const entry = entries.find((each) => each.aliases.includes(alias));
    expect({ alias, name: entry?.name }).toEqual({ alias, name });
  }
});
