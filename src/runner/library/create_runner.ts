import { isObject } from "../../base/json/is_object.ts";
import type { CallOptions } from "../call/call.ts";
import { entryOf } from "../registry/entry_of.ts";
import type { ToolDefinition } from "../registry/define.ts";
import type { RegistryEntry } from "../registry/registered_tool.ts";
import { Registry } from "../registry/registry.ts";
import type { Runner, RunnerOptions } from "./runner.ts";
import { permissionArguments } from "./runner_permissions.ts";

/**
 * Creates a runner for the tools of another program. It starts nothing before the first call.
 *
 * The confinement of a call depends on the tool:
 *
 * - A tool of {@link importTool} runs in a Worker of the runtime. The Worker has the permissions of
 *   the runner that the tool declares, and nothing else. It is ended at the time limit.
 * - A definition in `tools` runs in your thread, because a function cannot move to another one. Its
 *   `needs` are checked against the permissions, but its code is not confined. Its code can do
 *   whatever your program can do.
 * - A tool that declares `run` also runs in your thread. It is refused as `unavailable` unless all
 *   is allowed or `unconfinedRun` is set.
 *
 * The kernel's layer of the sandbox is never used: it would restrict your program, for good. Start
 * the executable for tools that need it.
 *
 * @throws {UsageError} for wrong permissions.
 * @throws {InvalidToolError} if a field of a tool is missing or wrong.
 * @throws {ToolExistsError} if two tools have the same name.
 *
 * @example
 * ```ts
 * import { createRunner, defineTool } from "@toolcall/toolcall";
 *
 * const shout = defineTool({
 *   name: "Shout",
 *   title: "Shout",
 *   description: "Says a text in capitals.",
 *   category: "utility",
 *   sideEffect: "none",
 *   optionality: "optional",
 *   usageHint: "When a text must be loud",
 *   inputSchema: {
 *     type: "object",
 *     properties: { text: { type: "string", description: "The text." } },
 *     required: ["text"],
 *     additionalProperties: false,
 *   },
 *   examples: [{ description: "Be loud", input: { text: "hi" }, expect: "HI" }],
 *   permissions: { kinds: [], needs: () => [] },
 *   run: ({ text }) => text.toUpperCase(),
 * });
 * const runner = createRunner({ tools: [shout], permissions: { read: ["."] } });
 * const result = await runner.call({ name: "Shout", arguments: { text: "hi" } });
 * const [block] = result.content;
 * if (block?.type !== "text" || block.text !== "HI") throw new Error("Unexpected result");
 * ```
 */
export function createRunner(options: RunnerOptions): Runner {
  const { tools, permissions = {} } = options;
  const args = permissionArguments(permissions);
  const registry = tools instanceof Registry ? tools : new Registry();
  if (!(tools instanceof Registry)) {
    for (const tool of tools) registry.register(isEntry(tool) ? tool : entryOf(tool));
  }
  let common: Promise<CallOptions> | undefined;
  return {
    registry,
    async call(call, { signal, onProgress } = {}) {
      const { executeEmbedded, optionsFor } = await import("./embedded_calls.ts");
      common ??= optionsFor(options, { registry, args });
      return await executeEmbedded(call, await common, {
        cancelSignal: () => signal ?? new AbortController().signal,
        ...(onProgress && { onProgress }),
      });
    },
  };
}

function isEntry(tool: ToolDefinition<never> | RegistryEntry): tool is RegistryEntry {
  return isObject(tool) && "load" in tool;
}
