/** The reports about servers, configuration and results that only the page shows. */

import type { CallOptions, ToolCall } from "../call/call.ts";
import type { CallResult } from "../call/failure.ts";

/** The forms of a result that the page shows. */
const MODEL_FORMS = ["openai", "anthropic", "responses"] as const;

/** The values of keys that are likely to be secrets, in the text of a configuration. */
const SECRET =
  /("[^"\n]*(?:key|token|secret|password|authorization)[^"\n]*"\s*:\s*)"(?:[^"\\\n]|\\.)*"/gi;

/** The configured MCP servers with their state. */
export async function serverStatuses({ servers }: Pick<CallOptions, "servers">) {
  if (!servers.mayBeConfigured) return [];
  return (await servers.open()).statuses();
}

/** Starts an MCP server, and adds its tools to the catalogue. */
export async function startServer(
  { servers, registry }: Pick<CallOptions, "servers" | "registry">,
  name: string,
): Promise<void> {
  await (await servers.open()).start(name, registry);
}

/** Adds the text of each file to the report of `toolcall config check`. Secrets are masked. */
export function withTexts(report: unknown): unknown {
  const { files, ...rest } = report as { files: { path: string }[] };
  return {
    ...rest,
    files: files.map((file) => {
      try {
        return { ...file, text: Deno.readTextFileSync(file.path).replace(SECRET, '$1"***"') };
      } catch {
        return file;
      }
    }),
  };
}

/** Renders a result in the forms that the APIs of models take. */
export async function renderForModel({ name }: ToolCall, given: unknown): Promise<unknown> {
  const { renderAs } = await import("../dialect/model_apis.ts");
  const answer = { id: "call_1", name, result: given as CallResult };
  return Object.fromEntries(
    MODEL_FORMS.map((form) => [form, JSON.parse(renderAs(form, [answer], false))]),
  );
}
