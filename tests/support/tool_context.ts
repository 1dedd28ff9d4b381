import { basename, dirname, join, resolve } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { Helper } from "../../src/runner/sandbox/executors/helper.ts";
import { isInside } from "../../src/runner/sandbox/policy/paths.ts";
import type { Serve } from "../../src/runner/sandbox/executors/executor.ts";
import { noServices, servicesOf } from "../../src/runner/sandbox/executors/context.ts";
import { programOfRuntime } from "../../src/runner/sandbox/executors/spawn.ts";
import type { ContentBlock, ToolOutput } from "../../src/base/content.ts";
import type {
  RunningProgram,
  SpawnOptions,
  ToolContext,
} from "../../src/runner/registry/tool_context.ts";

/** Returns the blocks of a tool's output. */
export function blocksOf(output: ToolOutput): ContentBlock[] {
  if (typeof output === "string") return [{ type: "text", text: output }];
  return Array.isArray(output) ? output : blocksOf(output.content);
}

const ripgrep = new Helper(rgPath);
ripgrep.open();

/** Makes a context to call a tool's `run` directly, without flags. */
export function contextFor(
  cwd: string,
  options: {
    signal?: AbortSignal;
    mayRead?: (path: string) => boolean;
    mayWrite?: (path: string) => boolean;
    memoryDirectory?: string;
    closedPaths?: readonly string[];
    serve?: Serve;
    repositories?: readonly string[];
    structured?: boolean;
  } = {},
): ToolContext {
  const root = Deno.realPathSync(cwd);
  const { closedPaths = [], signal = new AbortController().signal } = options;
  return {
    cwd: root,
    signal,
    path: (path) => realPath(resolve(root, path)),
    mayRead: options.mayRead ?? ((path) => !closedPaths.some((each) => isInside(path, each))),
    mayWrite: options.mayWrite ?? (() => true),
    memoryDirectory: options.memoryDirectory,
    closedPaths,
    kernelClosesPaths: false,
    isSandboxOld: false,
    spawn: (program, args, options) => spawn(program, args, { cwd: root, ...options }),
    startHelper: (args) => ripgrep.start(args, { cwd: root, signal }),
    isSandboxed: false,
    ...servicesOf(options.serve ?? noServices),
    background: false,
    repositories: options.repositories ?? [],
    followOutput: undefined,
    structured: options.structured ?? false,
    fetch: (url, request) => fetch(url, { redirect: "manual", ...request }),
  };
}

function realPath(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch (error) {
    // The tool itself fails for any other path that cannot be resolved.
    if (!(error instanceof Deno.errors.NotFound) || path === "/") return path;
    return join(realPath(dirname(path)), basename(path));
  }
}

function spawn(
  program: string,
  args: readonly string[],
  { cwd, env = {} }: SpawnOptions & { cwd: string },
): RunningProgram {
  const child = new Deno.Command(program, {
    args: [...args],
    cwd,
    env: { ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    detached: true,
  }).spawn();
  return {
    ...programOfRuntime(child),
    end: () => {
      try {
        Deno.kill(-child.pid, "SIGKILL");
      } catch { /* It has ended already. */ }
      return Promise.resolve();
    },
    openOutput: () => {
      throw new Error("This program's output is not kept");
    },
  };
}
