/**
 * A call that the published types allow is valid here. The types are `sdk-tools.d.ts`
 * of the npm package `@anthropic-ai/claude-agent-sdk`, versions 0.2.30 and 0.3.330, field by field.
 */
import { expect } from "@std/expect";
import { entries } from "../../../tools/_generated/index.ts";
import { call, temporaryDirectory, toolcall } from "../../support/executable.ts";

/**
 * The required fields of a published type with a value, and the values of its optional fields.
 */
type Type = [required: Record<string, unknown>, optional?: Record<string, unknown[]>];

const flags = [true, false];

const option = { label: "Red", description: "Warm" };
const question = {
  question: "Which colour?",
  header: "Colour",
  options: [{ ...option, preview: "# red\n" }, { label: "Blue", description: "Cold" }],
  multiSelect: false,
};
const todo = { content: "a", status: "pending", activeForm: "b" };

const types: Record<string, Type> = {
  Agent: [{ description: "Look", prompt: "Look around" }, {
    subagent_type: ["general-purpose", "Explore"],
    model: ["sonnet", "opus", "haiku", "fable"],
    effort: ["low", "medium", "high", "xhigh", "max"],
    resume: ["agent"],
    run_in_background: flags,
    max_turns: [5],
    name: ["a"],
    team_name: ["a"],
    mode: ["acceptEdits", "auto", "bypassPermissions", "default", "delegate", "dontAsk", "plan"],
    isolation: ["worktree", "remote"],
  }],
  Bash: [{ command: "true" }, {
    timeout: [600_000],
    description: ["Does nothing"],
    run_in_background: flags,
    _simulatedSedEdit: [{ filePath: "/a", newContent: "b" }],
  }],
  TaskOutput: [{ task_id: "task" }, { block: flags, timeout: [0, 600_000] }],
  ExitPlanMode: [{}, {
    allowedPrompts: [[{ tool: "Bash", prompt: "run tests" }]],
    pushToRemote: flags,
    remoteSessionId: ["a"],
    remoteSessionUrl: ["https://example.com"],
    remoteSessionTitle: ["a"],
    anything: [{ a: 1 }, null],
  }],
  Edit: [{ file_path: "/a", old_string: "a", new_string: "b" }, { replace_all: flags }],
  Read: [{ file_path: "/a" }, { offset: [1], limit: [1], pages: ["1-5", "3"], allow_large: flags }],
  Write: [{ file_path: "/a", content: "" }],
  Glob: [{ pattern: "**" }, { path: ["/a"] }],
  Grep: [{ pattern: "a" }, {
    path: ["/a"],
    glob: ["*.js"],
    output_mode: ["content", "files_with_matches", "count"],
    "-B": [1],
    "-A": [1],
    "-C": [1],
    "-n": flags,
    "-i": flags,
    type: ["js"],
    head_limit: [0, 1],
    offset: [0],
    multiline: flags,
  }],
  TaskStop: [{ task_id: "task" }],
  ListMcpResources: [{}, { server: ["a"] }],
  ReadMcpResource: [{ server: "a", uri: "a://b" }],
  NotebookEdit: [{ notebook_path: "/a.ipynb", new_source: "a" }, {
    cell_id: ["a"],
    cell_type: ["code", "markdown"],
    edit_mode: ["replace", "insert", "delete"],
  }],
  TodoWrite: [{
    todos: [todo, { ...todo, status: "in_progress" }, { ...todo, status: "completed" }],
  }],
  WebFetch: [{ url: "https://example.com", prompt: "a" }],
  WebSearch: [{ query: "ab" }, { allowed_domains: [["a.com"]], blocked_domains: [["b.com"]] }],
  AskUserQuestion: [{ questions: [question] }, {
    answers: [{ "Which colour?": "Red" }],
    annotations: [{ "Which colour?": { preview: "# red", notes: "bright" } }, {}],
    metadata: [{ source: "remember" }, {}],
  }],
  Config: [{ setting: "plan_mode" }, { value: ["a", true, 1] }],
  EnterPlanMode: [{}],
  Monitor: [{ description: "a", timeout_ms: 300_000 }, {
    command: ["true"],
    ws: [{ url: "wss://example.com" }, { url: "wss://example.com", protocols: ["a"] }],
  }],
  ReadMcpResourceDir: [{ server: "a", uri: "a://b" }],
  TaskCreate: [{ subject: "a", description: "b" }, {
    activeForm: ["c"],
    metadata: [{ a: 1, b: { c: null } }],
  }],
  TaskGet: [{ taskId: "1" }],
  TaskList: [{}],
  TaskUpdate: [{ taskId: "1" }, {
    subject: ["a"],
    description: ["b"],
    activeForm: ["c"],
    status: ["pending", "in_progress", "completed", "deleted"],
    addBlocks: [["2"]],
    addBlockedBy: [["3"]],
    owner: ["d"],
    metadata: [{ a: null }],
  }],
};

for (const [name, [required, optional = {}]] of Object.entries(types)) {
  Deno.test(`published inputs > every field of ${name} is valid, and no other field is required`, async () => {
    const { validate } = await entries.find((entry) => entry.name === name)!.load();
    const calls = Object.entries(optional).flatMap(([field, values]) =>
      values.map((value) => ({ ...required, [field]: value }))
    );
    for (const args of [required, ...calls]) {
      const isValid = validate(structuredClone(args));
      expect({ args, isValid, errors: validate.errors }).toMatchObject({ args, isValid: true });
    }
  });
}

Deno.test("published inputs > an accepted field that is not used is named in the result", async () => {
  using directory = temporaryDirectory();
  const answered = await call("AskUserQuestion", {
    questions: [question],
    answers: { "Which colour?": "Red" },
    annotations: { "Which colour?": { notes: "bright" } },
    metadata: { source: "remember" },
  });
  expect(answered.text).toContain("Answer (given with the call): Red\nNotes: bright");
  expect(answered._meta).toEqual({ "toolcall/ignored": ["metadata"] });
  const edit = { filePath: `${directory.path}/a`, newContent: "x" };
  const ran = await call("Bash", { command: "echo ran", _simulatedSedEdit: edit }, {
    flags: ["-A"],
  });
  expect(ran.text).toBe("ran\n");
  expect(ran._meta).toEqual({ "toolcall/ignored": ["_simulatedSedEdit"] });
  const usual = await call("Bash", { command: "echo ran" }, { flags: ["-A"] });
  expect(usual._meta).toBeUndefined();
});

Deno.test("published inputs > allow_large shows a text beyond the usual limits", async () => {
  using directory = temporaryDirectory();
  const path = `${directory.path}/long.txt`;
  Deno.writeTextFileSync(path, `${"x".repeat(40)}\n`.repeat(4_000));
  const read = (args: Record<string, unknown>) =>
    call("Read", { file_path: path, ...args }, { flags: ["-R"] });
  expect((await read({})).text).toContain("50 KiB is the maximum per call");
  const large = await read({ allow_large: true });
  expect(large.text).toContain("  4000\tx");
  expect(large.text).not.toContain("To continue");
  expect((await read({ allow_large: true, limit: 10 })).text).toContain("To continue: offset 11");
  Deno.writeTextFileSync(path, `${"x".repeat(40)}\n`.repeat(40_000));
  expect((await read({ allow_large: true })).text).toContain("256 KiB is the maximum per call");
});

Deno.test("published inputs > the preview of an option reaches the program that asks", async () => {
  using directory = temporaryDirectory();
  const program = `${directory.path}/ask`;
  const script =
    `#!/bin/sh\ncat > ${directory.path}/asked\nprintf '{"answers":{"Which colour?":"Red"}}'\n`;
  Deno.writeTextFileSync(program, script, { mode: 0o755 });
  const stdin = JSON.stringify({ name: "AskUserQuestion", arguments: { questions: [question] } });
  const run = await toolcall([`--ask=exec:${program}`], { stdin });
  expect(run.code).toBe(0);
  const { questions } = JSON.parse(Deno.readTextFileSync(`${directory.path}/asked`));
  expect(questions[0].options[0].preview).toBe("# red\n");
});
