import { readVariable } from "../../base/environment.ts";
import { CallError } from "../../base/errors.ts";
import type { FileChange } from "../../base/fs/change_set.ts";
import { quote } from "../../base/text/quote.ts";
import { callersEnvironment, outsideEnvironment } from "../sandbox/executors/environment.ts";
import type { Serve } from "../sandbox/executors/executor.ts";
import { isThere } from "../sandbox/policy/paths.ts";
import type { ClientRequest } from "../registry/client_service.ts";
import type { KeptEdit } from "../registry/edits_service.ts";
import type {
  InnerCall,
  Json,
  ModelApiName,
  Question,
  SettingValue,
  StoreOptions,
} from "../registry/services.ts";
import type { ToolMetadata } from "../registry/registered_tool.ts";
import type { Todo, TodoChange } from "../registry/todos_service.ts";
import { Database } from "../state/database.ts";
import { State } from "../state/state.ts";
import { settingValues } from "../registry/setting_definitions.ts";
import { settingNamed } from "../state/setting_store.ts";
import { stateDirectory, usualStateDirectory } from "../state/state_directory.ts";
import type { CallOptions } from "./call.ts";
import { readTask, stopTask } from "./background_tasks.ts";
import { innerCall } from "./inner_call.ts";

/** The services of the engine for one call of a tool. */
export interface Services {
  /** Serves a request of the tool. */
  serve: Serve;
  /** Closes the store, if it was opened. */
  close(): void;
}

// deno-lint-ignore no-explicit-any -- The tool's context has typed the arguments.
type Service = (...args: any[]) => unknown;

/**
 * Returns the services that a tool declares in `uses`. The store is opened when it is first needed.
 * `signal` cancels the calls that the tool makes.
 */
export function servicesFor(
  tool: ToolMetadata,
  options: CallOptions,
  signal: AbortSignal,
): Services {
  let state: State | undefined;
  const opened = () => state ??= openState(options);
  // Reading settings does not create a store.
  const values = () => {
    const directory = options.stateDir ?? usualStateDirectory();
    const hasStore = directory !== undefined && isThere(`${directory}/state.db`);
    return hasStore ? opened().settings.values() : settingValues();
  };
  const edits = async () => (await import("../state/edit_history.ts")).openEdits(options);
  const owner = ({ shared }: StoreOptions = {}) => ({
    space: `tool ${tool.name}`,
    session: shared ? "" : options.session,
  });
  const todos = async () => {
    const { TodoList } = await import("../state/todo_list.ts");
    return new TodoList(opened().values, options.session);
  };
  const onProgress = (line: string) => void services["progress"]!(line);
  const ask = async (questions: Question[]) => {
    const { askUser } = await import("../ask/ask_user.ts");
    const env = outsideEnvironment(callersEnvironment(), options.grants.allow.write);
    return await askUser(questions, { ...options.ask, env, signal });
  };
  const serverRequests = async () =>
    (await import("./pass_requests.ts")).passRequests(options, {
      ask,
      execute: (call) => innerCall(call, options, signal),
    });
  const services: Readonly<Record<string, Service>> = {
    "store.get": (key: string, store?: StoreOptions) => opened().values.get(owner(store), key),
    "store.set": (key: string, value: Json | undefined, store?: StoreOptions) =>
      opened().values.set(owner(store), key, { value, ttlMs: store?.ttlMs }),
    "todos.list": async () => (await todos()).list(),
    "todos.replace": async (items: Todo[]) => (await todos()).replace(items),
    "todos.add": async (item: Todo) => (await todos()).add(item),
    "todos.update": async (id: string, change: TodoChange) => (await todos()).update(id, change),
    "edits.push": async (file: string, edit: KeptEdit) => await (await edits()).push(file, edit),
    "edits.last": async (file: string) => await (await edits()).last(file),
    "edits.drop": async (file: string) => await (await edits()).drop(file),
    "settings.values": values,
    "settings.get": async (name: string) => values()[(await settingNamed(name)).name],
    "settings.set": async (name: string, value: SettingValue | undefined) => {
      const setting = await settingNamed(name);
      if (setting.guarded && !options.grants.all) throw guarded(name);
      return opened().settings.set(setting, value);
    },
    "settings.configured": async (pointer: string) =>
      (await import("./config_settings.ts")).configured(pointer, options),
    "settings.configure": async (pointer: string, value: Json | undefined) =>
      await (await import("./config_settings.ts")).configure(pointer, value, options),
    "settings.secret": (name: string) => secretOf(values()[name]),
    "tasks.read": (id: string, waitMs: number) =>
      options.tasks?.read(id, waitMs) ?? readTask(opened().tasks, id, { waitMs, signal }),
    "tasks.stop": (id: string) => options.tasks?.stop(id) ?? stopTask(opened().tasks, id),
    ask,
    "client.capabilities": async () => await options.ask.requests?.capabilities() ?? [],
    "client.request": async (requests: Record<string, ClientRequest>) => {
      if (options.ask.requests !== undefined) return await options.ask.requests.request(requests);
      const why = "the call did not come through toolcall mcp";
      throw new CallError("unavailable", `Cannot ask the MCP client: ${why}`);
    },
    call: (call: InnerCall) => innerCall(call, options, signal),
    "patches.commit": async (changes: FileChange[]) =>
      await (await import("../patches/commit_patch.ts")).commitPatch(changes, options),
    "call.tools": async (api: ModelApiName) =>
      await (await import("./inner_tools.ts")).listInnerTools(options, await values(), api),
    "mcp.call": async (server: string, tool: string, args: Record<string, unknown>) =>
      await (await options.servers.open()).call([server, tool], args, {
        ...{ signal, onProgress },
        requests: await serverRequests(),
      }),
    "mcp.resources": async (server?: string) =>
      await (await options.servers.open()).resources(server, { signal }),
    "mcp.read": async (server: string, uri: string) =>
      await (await options.servers.open()).read([server, uri], { signal }),
    "mcp.directory": async (server: string, uri: string) =>
      await (await options.servers.open()).directory([server, uri], { signal }),
    progress: (line: string) => {
      options.listeners.onProgress?.(line);
      options.output?.file.writeSync(new TextEncoder().encode(`${line}\n`));
    },
  };
  return {
    async serve(name, args) {
      const [service] = name.split(".");
      const isDeclared = name === "progress" || tool.uses?.some((each) => each === service);
      if (!isDeclared || !Object.hasOwn(services, name)) {
        throw new CallError("internal", `The tool ${quote(tool.name)} does not declare ${name}`);
      }
      return await services[name]!(...args);
    },
    close: () => options.pool === undefined && state?.close(),
  };
}

/** Opens the state. A process that executes many calls keeps the file open, as opening it is slow. */
export function openState(
  { stateDir, session, pool }: Pick<CallOptions, "stateDir" | "session" | "pool">,
): State {
  const directory = stateDirectory(stateDir);
  const kept = pool?.kept.get(directory);
  if (kept instanceof Database && kept.isCurrentFile) return new State(directory, session, kept);
  // A call that still uses a file that was replaced goes on with it.
  const state = new State(directory, session);
  pool?.kept.set(directory, state.database);
  return state;
}

function guarded(name: string): CallError {
  return new CallError(
    "permission_denied",
    `Cannot set ${quote(name)}: it decides where requests and keys go; this needs --allow-all`,
    { setting: name },
  );
}

function secretOf(variable: SettingValue | undefined): string | undefined {
  return typeof variable === "string" && variable !== "" ? readVariable(variable) : undefined;
}
