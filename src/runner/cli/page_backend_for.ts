import { UsageError } from "../../base/errors.ts";
import { readTask, stopTask } from "../call/background_tasks.ts";
import { Configuration } from "../config/configuration.ts";
import { configPlace } from "../config/config_files.ts";
import type { ServerContext } from "../mcp/server/tools_call.ts";
import { ownCommand, runOwnProcess } from "../sandbox/executors/own_process.ts";
import { underCeiling } from "../sandbox/policy/ceiling.ts";
import { protectInstallation } from "../sandbox/policy/own_paths.ts";
import { State } from "../state/state.ts";
import { stateDirectory, usualStateDirectory } from "../state/state_directory.ts";
import type { PageBackend } from "../ui/page_backend.ts";
import { realGrants } from "./call_options.ts";
import type { CommandLine } from "./command.ts";
import { parseCommandLine } from "./parse_command_line.ts";
import { checkCall } from "./commands/check.ts";
import { flagArguments } from "./flag_arguments.ts";
import { listTasks } from "./local_task_source.ts";
import { childFlags } from "./long_lived.ts";
import { renderForModel, serverStatuses, startServer, withTexts } from "./page_reports.ts";
import { withPermissionSet } from "./permission_set.ts";
import { withRunnableExamples } from "./print/runnable_examples.ts";

/** The flags that the own reports of the page take over. */
const REPORT_FLAGS = ["root", "config", "state-dir"];

/** Returns the functions that the page uses, for a command line and the context of its server. */
export async function pageBackendFor(
  line: CommandLine,
  shared: ServerContext,
): Promise<PageBackend> {
  const { options } = shared;
  const withTasks = async <T>(use: (state: State) => T | Promise<T>): Promise<T> => {
    const state = new State(stateDirectory(options.stateDir), "");
    try {
      return await use(state);
    } finally {
      state.close();
    }
  };
  const tasks = new State(stateDirectory(options.stateDir), "");
  const sets = await readSets(line);
  const ownReport: PageBackend["ownReport"] = async (args) => {
    const kept = args[0] === "mcp" ? [] : REPORT_FLAGS.filter((name) => line.options.has(name))
      .map((name) => `--${name}=${line.options.get(name)}`);
    const text = await runOwnProcess(
      [...ownCommand(options.program), ...args, ...kept] as [string, ...string[]],
      { input: "", env: {}, signal: AbortSignal.timeout(60_000) },
    );
    return JSON.parse(text);
  };
  return {
    shared,
    ceiling: flagArguments(line.grants, new Map()),
    narrow: async (flags) => {
      const { positionals, options: others, grants } = await parseCommandLine(flags);
      const wrong = positionals[0] ?? [...others.keys()].find((name) => name !== "allow-all");
      if (wrong !== undefined) {
        throw new UsageError(`Cannot use "${wrong}" here: expected permission flags only`);
      }
      const under = underCeiling(await realGrants(grants, options.cwd), options.grants);
      const narrowed = protectInstallation(under, {
        ...options.program,
        state: options.stateDir ?? usualStateDirectory(),
      });
      return { grants: narrowed, flags: childFlags(narrowed, line, options) };
    },
    check: async (call, given) => (await checkCall({ call }, given)).shown,
    tools: async () => {
      const { registry, cwd } = options;
      const tools = await registry.list();
      return await Promise.all(tools.map((tool) => withRunnableExamples(tool, registry, cwd)));
    },
    permissionSets: () => sets,
    tasks: () => listTasks(tasks.tasks),
    stopTask: (id) => withTasks((state) => stopTask(state.tasks, id)),
    taskOutput: (id) =>
      withTasks(({ tasks }) =>
        readTask(tasks, id, { waitMs: 0, signal: new AbortController().signal })
      ),
    servers: () => serverStatuses(options),
    startServer: (name) => startServer(options, name),
    configuration: async () => withTexts(await ownReport(["config", "check", "--format=json"])),
    forModel: renderForModel,
    ownReport,
  };
}

/** The permission sets of the configuration as flags. Sets that cannot be used are left out. */
async function readSets(line: CommandLine): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  try {
    const none = { all: false, allow: {}, deny: {} };
    const sections = new Configuration(configPlace(line)).sections("permissions", none)
      .filter(({ refusal }) => refusal === undefined);
    for (const name of sections.flatMap(({ value }) => Object.keys(value))) {
      const options = new Map([...line.options, ["permission-set", name]]);
      const { grants } = await withPermissionSet({ ...line, grants: none, options });
      found[name] = flagArguments(grants, new Map());
    }
  } catch { /* The page about the configuration shows what is wrong with it. */ }
  return found;
}
