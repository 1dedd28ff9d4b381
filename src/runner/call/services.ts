import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import { callersEnvironment, outsideEnvironment } from "../sandbox/executors/environment.ts";
import type { Serve } from "../sandbox/executors/executor.ts";
import { isThere } from "../sandbox/policy/paths.ts";
import type {
  InnerCall,
  InnerResult,
  Json,
  Question,
  SettingValue,
  StoreOptions,
} from "../registry/services.ts";
import type { ToolMetadata } from "../registry/registered_tool.ts";
import { State } from "../state/state.ts";
import { defaultValues } from "../registry/setting_definitions.ts";
import { settingNamed } from "../state/setting_store.ts";
import { stateFolder, usualStateFolder } from "../state/state_folder.ts";
import { executeInSubprocess } from "./execute_in_subprocess.ts";
import type { CallOptions } from "./call.ts";
import { readTask, stopTask } from "../tasks/task_report.ts";

/** What the engine does for one call of a tool. */
export interface Services {
  /** Answers what the tool asks for. */
  serve: Serve;
  /** Lets go of what was opened. */
  close(): void;
}

// deno-lint-ignore no-explicit-any -- What comes from a tool's context was typed there.
type Service = (...args: any[]) => unknown;

/**
 * The services that a tool declares in `uses`. The store is opened by the first one that
 * needs it. `signal` ends the calls that the tool makes.
 */
export function servicesFor(
  tool: ToolMetadata,
  settings: CallOptions,
  signal: AbortSignal,
): Services {
  let state: State | undefined;
  const opened = () => state ??= new State(stateFolder(settings.stateDir), settings.session);
  // To read settings no store is made.
  const values = () => {
    const folder = settings.stateDir ?? usualStateFolder();
    const hasStore = folder !== undefined && isThere(`${folder}/state.db`);
    return hasStore ? opened().settings.values() : defaultValues();
  };
  const owner = ({ shared }: StoreOptions = {}) => ({
    space: `tool ${tool.name}`,
    session: shared ? "" : settings.session,
  });
  const onProgress = (line: string) => void services["progress"]!(line);
  const services: Readonly<Record<string, Service>> = {
    "store.get": (key: string, options?: StoreOptions) => opened().values.get(owner(options), key),
    "store.set": (key: string, value: Json | undefined, options?: StoreOptions) =>
      opened().values.set(owner(options), key, { value, ttlMs: options?.ttlMs }),
    "settings.values": values,
    "settings.get": async (name: string) => {
      const setting = await settingNamed(name);
      return values()[setting.name];
    },
    "settings.set": async (name: string, value: SettingValue | undefined) => {
      const setting = await settingNamed(name);
      if (setting.guarded && !settings.grants.all) throw guarded(name);
      return opened().settings.set(setting, value);
    },
    "settings.configured": async (pointer: string) =>
      (await import("./config_settings.ts")).configured(pointer, settings),
    "settings.configure": async (pointer: string, value: Json | undefined) =>
      await (await import("./config_settings.ts")).configure(pointer, value, settings),
    "settings.secret": (name: string) => secretOf(values()[name]),
    "tasks.read": (id: string, waitMs: number) => readTask(opened().tasks, id, { waitMs, signal }),
    "tasks.stop": (id: string) => stopTask(opened().tasks, id),
    ask: async (questions: Question[]) => {
      const { askUser } = await import("../ask/ask_user.ts");
      const env = outsideEnvironment(callersEnvironment(), settings.grants.allow.write);
      return await askUser(questions, { ...settings.ask, env, signal });
    },
    call: (call: InnerCall) => innerCall(call, settings, signal),
    "call.tools": async () =>
      await (await import("./inner_tools.ts")).innerTools(settings, await values()),
    "mcp.call": async (server: string, tool: string, args: Record<string, unknown>) =>
      await (await settings.servers.open()).call([server, tool], args, { signal, onProgress }),
    "mcp.resources": async (server?: string) =>
      await (await settings.servers.open()).resources(server, { signal }),
    "mcp.read": async (server: string, uri: string) =>
      await (await settings.servers.open()).read([server, uri], { signal }),
    progress: (line: string) => {
      settings.listeners.onProgress?.(line);
      settings.output?.file.writeSync(encoded(`${line}\n`));
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
    close: () => state?.close(),
  };
}

function guarded(name: string): CallError {
  return new CallError(
    "permission_denied",
    `Cannot set ${quote(name)}: it decides where requests and keys go; needs --allow-all`,
    { setting: name },
  );
}

function secretOf(variable: SettingValue | undefined): string | undefined {
  return typeof variable === "string" && variable !== "" ? Deno.env.get(variable) : undefined;
}

async function innerCall(
  call: InnerCall,
  settings: CallOptions,
  signal: AbortSignal,
): Promise<InnerResult> {
  const { content, isError } = await executeInSubprocess(call, settings, signal);
  signal.throwIfAborted();
  return { content, isError };
}

function encoded(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
