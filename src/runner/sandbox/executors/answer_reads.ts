/** One Worker that answers many short reads, one after the other: the Worker's own end. */

import type { ToolOutput } from "../../../base/content.ts";
import { settlesWithinMicrotasks } from "../../../base/async/microtasks.ts";
import type { ToolDefinition } from "../../registry/define.ts";
import type { RegisteredTool } from "../../registry/registered_tool.ts";
import type { Registry } from "../../registry/registry.ts";
import { leaveNativeCode } from "../policy/permissions.ts";
import { confinedContext, confinedFailure, noServices } from "./context.ts";
import { hear } from "./prints.ts";
import type { Read, ReadAnswers, ReadOrder, ReadRights } from "./reader.ts";

/** Answers reads with tools of `registry`. `post` sends their answers, several at once. */
export class ReadAnswerer {
  #rights: ReadRights | undefined;
  #reads: ReadOrder["reads"] = [];
  #answers: ReadAnswers = [];
  #isAnswering = false;
  #tools = new Map<string, ReturnType<typeof loadTool>>();

  /** Takes the tools, and what sends the answers. */
  constructor(readonly registry: Registry, readonly post: (answers: ReadAnswers) => void) {}

  /** Takes reads. The first order has the rights of this thread. */
  async take({ reads, rights }: ReadOrder): Promise<void> {
    for (const read of reads) this.#reads.push(read);
    if (rights !== undefined) {
      this.#isAnswering = true;
      await enterSandbox(rights);
      this.#rights = rights;
      this.#isAnswering = false;
    }
    if (!this.#isAnswering) await this.#answerAll();
  }

  async #answerAll(): Promise<void> {
    this.#isAnswering = true;
    for (let read; (read = this.#reads.shift()) !== undefined;) {
      const answer = this.#answer(...read);
      // Most reads wait for nothing. Before one that does, the answers of the others are sent.
      if (!await settlesWithinMicrotasks(answer)) this.#flush();
      this.#answers.push(await answer);
    }
    this.#flush();
    this.#isAnswering = false;
  }

  #flush(): void {
    if (this.#answers.length > 0) this.post(this.#answers);
    this.#answers = [];
  }

  async #answer(id: number, read: Read): Promise<ReadAnswers[number]> {
    let hasPrinted = false;
    hear(read.tool, () => hasPrinted = true);
    // The caller runs a read without output again, where failures and prints are reported.
    try {
      const output = await this.#run(read);
      return [id, hasPrinted ? undefined : output, false];
    } catch (error) {
      const { systemError } = confinedFailure(error).details;
      return [id, undefined, systemError === "EACCES" || systemError === "EPERM"];
    }
  }

  async #run(read: Read): Promise<ToolOutput> {
    const loading = this.#tools.get(read.tool) ?? loadTool(read.tool, this.registry);
    this.#tools.set(read.tool, loading);
    const { cwd, grants, structured } = this.#rights!;
    const job = { ...read, cwd, grants, structured, writes: [], hosts: [] };
    const context = confinedContext({ ...job, background: false, isFollowed: false }, {
      // The caller ends this thread when a read takes long.
      signal: new AbortController().signal,
      serve: noServices,
    });
    return await (await loading).definition.run(read.args, context);
  }
}

/** Loads a tool with its code. Rejects for an unknown tool. */
export async function loadTool(
  name: string,
  registry: Registry,
): Promise<{ tool: RegisteredTool; definition: ToolDefinition }> {
  const tool = await registry.get(name).load();
  return { tool, definition: await tool.load() };
}

/** Takes on the rights for good. No tool's code may run before. */
export async function enterSandbox({ grants, landlock }: ReadRights): Promise<void> {
  if (landlock === undefined) return leaveNativeCode();
  const { confineWorker } = await import("../linux/file_sandbox.ts");
  const tool = { metadata: { permissionKinds: ["read"] as const } };
  const { programDirectory } = landlock;
  confineWorker(tool, { grants, writes: [] }, { programDirectory, helper: undefined });
}
