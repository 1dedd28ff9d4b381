import type { ToolContext } from "../../../src/runner/registry/tool_context.ts";
import { defineTool, type ToolDefinition } from "../../../src/runner/registry/define.ts";
import type { ClientRequest } from "../../../src/runner/registry/client_service.ts";
import type { ServiceName } from "../../../src/runner/registry/services.ts";
import type { ToolOutput } from "../../../src/base/content.ts";

/** Declares a tool that the suite calls without arguments. */
export function diagnosticTool(
  name: string,
  uses: readonly ServiceName[],
  run: (ctx: ToolContext) => ToolOutput | Promise<ToolOutput>,
): ToolDefinition {
  return defineTool({
    ...{ name, title: name, category: "utility", sideEffect: "blocking", optionality: "optional" },
    description: "Does what a scenario of the conformance suite asks of a tool of this name",
    usageHint: "For the conformance suite of MCP",
    ...(uses.length > 0 && { uses }),
    inputSchema: { type: "object", properties: {}, additionalProperties: false },
    examples: [{ description: "Without arguments", input: {}, expect: "" }],
    permissions: { kinds: [], needs: () => [] },
    run: (_, ctx) => run(ctx),
  }) as ToolDefinition;
}

/** Declares a tool that the suite calls without arguments, and whose calls are background tasks. */
export function taskTool(
  name: string,
  uses: readonly ServiceName[],
  run: (ctx: ToolContext) => ToolOutput | Promise<ToolOutput>,
): ToolDefinition {
  return { ...diagnosticTool(name, uses, run), background: "always" };
}

/** A form with one required field. */
export function form(message: string, field: string, type: "string" | "boolean"): ClientRequest {
  const requestedSchema = { type: "object", properties: { [field]: { type } }, required: [field] };
  return { method: "elicitation/create", params: { message, requestedSchema } };
}

/** A question to the model of the client. */
export function sampling(text: string, maxTokens: number): ClientRequest {
  const messages = [{ role: "user", content: { type: "text", text } }];
  return { method: "sampling/createMessage", params: { messages, maxTokens } };
}
