/**
 * The schemas of the data that tools return with `--structured`. Names and types are those of the
 * published output types: `ToolOutputSchemas` in `sdk-tools.d.ts` of the npm package
 * `@anthropic-ai/claude-agent-sdk` 0.3.330. Fields that may be large are not required, because
 * fields over 64 KiB are left out of a result.
 */

import { questionSchema } from "./question_schema.ts";

type Schema = Readonly<Record<string, unknown>>;

/** A list of such items. */
const list = (items: Schema): Schema => ({ type: "array", items });

const text = { type: "string" };
const integer = { type: "integer" };
const number = { type: "number" };
const flag = { type: "boolean" };
const texts = list(text);

/** An object with those properties. All of them are required except `optional`. */
function object(properties: Record<string, Schema>, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((key) => !optional.includes(key));
  return { type: "object", properties, required };
}

const patch = list(object({
  ...{ oldStart: integer, oldLines: integer, newStart: integer, newLines: integer },
  lines: texts,
}));

const todoStatus = { type: "string", enum: ["pending", "in_progress", "completed"] };

const todos = list(object({
  content: text,
  status: todoStatus,
  activeForm: text,
}));

/** The files that Read shows, by their type. */
const readFiles: readonly Schema[] = [
  object({
    type: { const: "text" },
    file: object({
      ...{ filePath: text, content: text },
      ...{ numLines: integer, startLine: integer, totalLines: integer },
    }, ["content"]),
  }),
  object({
    type: { const: "image" },
    file: object({ base64: text, type: text, originalSize: integer }, ["base64"]),
  }),
  object({
    type: { const: "notebook" },
    file: object({ filePath: text, cells: { type: "array" } }, ["cells"]),
  }),
  object({
    type: { const: "pdf" },
    file: object({ filePath: text, base64: text, originalSize: integer }, ["base64"]),
  }),
];

const answers = { type: "object", additionalProperties: text };

/** The schemas of the data that tools return with `--structured`, by the names of the tools. */
export const publishedOutputs: Readonly<Record<string, Schema>> = {
  Agent: {
    type: "object",
    properties: { status: { enum: ["completed", "async_launched"] } },
    required: ["status"],
    oneOf: [
      object({
        ...{ status: { const: "completed" }, agentId: text, prompt: text },
        content: { type: "array", items: object({ type: { const: "text" }, text }) },
        ...{ totalToolUseCount: integer, totalDurationMs: integer, totalTokens: integer },
        usage: { type: "object" },
      }, ["content", "prompt"]),
      object({
        ...{ status: { const: "async_launched" }, agentId: text, description: text },
        ...{ prompt: text, outputFile: text },
      }, ["prompt"]),
    ],
  },
  AskUserQuestion: object({
    questions: { type: "array", items: questionSchema },
    answers,
    annotations: { type: "object" },
  }, ["annotations", "questions", "answers"]),
  Bash: object({
    ...{ stdout: text, stderr: text, interrupted: flag },
    ...{ backgroundTaskId: text, persistedOutputPath: text, persistedOutputSize: integer },
  }, ["stdout", "backgroundTaskId", "persistedOutputPath", "persistedOutputSize"]),
  Edit: object({
    ...{ filePath: text, oldString: text, newString: text },
    originalFile: { type: ["string", "null"] },
    ...{ structuredPatch: patch, userModified: flag, replaceAll: flag },
  }, ["oldString", "newString", "originalFile", "structuredPatch"]),
  EnterPlanMode: object({ message: text }),
  Glob: object({
    ...{ durationMs: number, numFiles: integer, filenames: texts, truncated: flag },
    ...{ totalMatches: integer, countIsComplete: flag },
  }, ["filenames", "totalMatches", "countIsComplete"]),
  Grep: object({
    mode: { enum: ["content", "files_with_matches", "count"] },
    ...{ numFiles: integer, filenames: texts, content: text },
    ...{ numLines: integer, numMatches: integer, totalFiles: integer, totalLines: integer },
    ...{ appliedLimit: integer, appliedOffset: integer },
  }, [
    ...["mode", "filenames", "content", "numLines", "numMatches", "totalFiles", "totalLines"],
    ...["appliedLimit", "appliedOffset"],
  ]),
  // The published type is a list, and MCP wants an object.
  ListMcpResources: object({
    resources: list(object({
      ...{ uri: text, name: text, mimeType: text, description: text, server: text },
    }, ["mimeType", "description"])),
  }, ["resources"]),
  Monitor: object({ taskId: text, timeoutMs: integer }),
  NotebookEdit: object({
    ...{ new_source: text, old_source: text, cell_id: text },
    cell_type: { enum: ["code", "markdown"] },
    ...{ language: text, edit_mode: text, notebook_path: text },
    ...{ original_file: text, updated_file: text },
  }, ["new_source", "old_source", "cell_id", "original_file", "updated_file"]),
  Read: {
    type: "object",
    properties: { type: { enum: ["text", "image", "notebook", "pdf"] } },
    required: ["type"],
    oneOf: readFiles,
  },
  ReadMcpResourceDir: object({
    resources: list(object({ uri: text, name: text, mimeType: text }, ["mimeType"])),
  }, ["resources"]),
  TaskCreate: object({
    task: object({ id: text, subject: text, description: text }, ["description"]),
  }, ["task"]),
  TaskGet: object({
    task: object({
      ...{ id: text, subject: text, description: text, status: todoStatus },
      ...{ blocks: texts, blockedBy: texts },
    }),
  }, ["task"]),
  TaskList: object({
    tasks: list(object({
      ...{ id: text, subject: text, status: todoStatus, owner: text, blockedBy: texts },
    }, ["owner"])),
  }, ["tasks"]),
  TaskStop: object({ message: text, task_id: text, task_type: text, command: text }, ["command"]),
  TaskUpdate: object({
    ...{ success: flag, taskId: text, updatedFields: texts },
    statusChange: object({ from: text, to: text }),
  }, ["statusChange"]),
  TodoWrite: object({ oldTodos: todos, newTodos: todos }, ["oldTodos", "newTodos"]),
  WebFetch: object({
    ...{ bytes: integer, code: integer, codeText: text, result: text },
    ...{ durationMs: number, url: text },
  }, ["result"]),
  WebSearch: object({
    query: text,
    results: list({
      anyOf: [
        text,
        object({
          tool_use_id: text,
          content: list(object({ title: text, url: text, snippet: text }, ["snippet"])),
        }),
      ],
    }),
    durationSeconds: number,
    searchCount: integer,
  }, ["results", "searchCount"]),
  Write: object({
    type: { enum: ["create", "update"] },
    ...{ filePath: text, content: text, structuredPatch: patch },
    originalFile: { type: ["string", "null"] },
  }, ["content", "structuredPatch", "originalFile"]),
};
