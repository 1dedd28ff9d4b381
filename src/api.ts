/**
 * Tools for language models, and a runner that validates, authorises and runs their calls. Importing
 * this module starts nothing.
 *
 * @example Run a call
 * ```ts
 * import { createRunner, simpleTool } from "@toolcall/toolcall";
 *
 * const add = simpleTool("add", "Adds a and b.", ({ a, b }) => Number(a) + Number(b));
 * const runner = createRunner({ tools: [add] });
 * const result = await runner.call({ name: "add", arguments: { a: 1, b: 2 } });
 * if (result.isError) throw new Error("The call failed");
 * ```
 *
 * @module
 */

export {
  categories,
  type Category,
  defineTool,
  type Example,
  optionalities,
  type Optionality,
  type Permission,
  type PermissionKind,
  type Policy,
  type RateLimit,
  type ShortFile,
  type SideEffect,
  sideEffects,
  type ToolDefinition,
  type ToolGroup,
} from "./runner/registry/define.ts";
export { type SimpleKind, type SimpleOptions, simpleTool } from "./runner/registry/simple_tool.ts";
export type {
  HelperPiece,
  HelperProcess,
  OutputFile,
  RunningProgram,
  SpawnOptions,
  ToolContext,
} from "./runner/registry/tool_context.ts";
export type {
  ConfigEdit,
  ConfiguredValue,
  FetchRequest,
  InnerCall,
  InnerResult,
  InnerTool,
  Json,
  Question,
  ServiceName,
  SettingsService,
  SettingValue,
  SettingValues,
  Store,
  StoreOptions,
  TaskReport,
  TasksService,
} from "./runner/registry/services.ts";
export type { Mcp, McpResource, McpResources } from "./runner/registry/mcp_service.ts";
export type {
  ChangedTodo,
  Todo,
  TodoChange,
  TodosService,
  TodoStatus,
} from "./runner/registry/todos_service.ts";

export type { EditsService, KeptEdit } from "./runner/registry/edits_service.ts";
export { entryOf } from "./runner/registry/entry_of.ts";
export { Registry } from "./runner/registry/registry.ts";
export type { ToolFilter } from "./runner/registry/disabled_tools.ts";
export type { RegistryEvent, RegistryOptions } from "./runner/registry/registry_listeners.ts";
export {
  EmptyNameError,
  InvalidToolError,
  ToolDisabledError,
  ToolExistsError,
  ToolNotFoundError,
} from "./runner/registry/registry_errors.ts";
export type {
  RegisteredTool,
  RegistryEntry,
  ToolMetadata,
} from "./runner/registry/registered_tool.ts";
export type { ToolList } from "./runner/registry/tool_list.ts";
export type { SchemaError, Validator } from "./runner/registry/validator.ts";

export { createRunner } from "./runner/library/create_runner.ts";
export { importTool } from "./runner/library/import_tool.ts";
export type {
  Runner,
  RunnerCall,
  RunnerCallOptions,
  RunnerOptions,
} from "./runner/library/runner.ts";
export type {
  RunnerKind,
  RunnerPermissions,
  RunnerScopes,
} from "./runner/library/runner_permissions.ts";

export type { Repair } from "./runner/call/call.ts";
export type { CallResult } from "./runner/call/failure.ts";
export type { AuditDetails } from "./runner/audit/audit_line.ts";
export type {
  ContentBlock,
  ResourceContents,
  StructuredOutput,
  ToolOutput,
} from "./base/content.ts";
export { CallError, type FailureCode, NamedError, UsageError } from "./base/errors.ts";
export type { ProgramOutput } from "./base/program_output.ts";
