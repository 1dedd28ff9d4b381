import { CallError } from "../../base/errors.ts";
import { isObject } from "../../base/json/is_object.ts";
import type { CallOptions } from "../call/call.ts";
import type { BashReading, Request } from "../dialect/incoming.ts";
import type { Registry } from "../registry/registry.ts";
import { ToolNotFoundError } from "../registry/registry_errors.ts";
import type { CommandLine, Process } from "./command.ts";
import { isCallText, readRequest } from "./read_request.ts";

/**
 * Reads the request of `call` or `check` from the operands or stdin. An operand that begins with `{`
 * or `[` is a call in any dialect. After the word `call` the
 * operands are NAME and JSON, so that a program can pass a model's text. Without it a person may
 * write the arguments as `key=value` and the name in any case. Rejects with
 * {@link UsageError} for arguments that conflict, and with a `CallError`.
 */
export async function readTypedRequest(
  operands: readonly string[],
  process: Process,
  { line, options }: { line: CommandLine; options: CallOptions },
): Promise<Request> {
  const [given, ...rest] = operands;
  if (given === undefined || isCallText(given)) {
    return await readRequest(operands, process, line, bashReading(line, options.registry));
  }
  const isTyped = line.positionals[0] !== "call";
  if (isTyped && !isKnown(given, options.registry)) await options.refreshTools?.();
  const name = isTyped && !isKnown(given, options.registry)
    ? (await import("./arguments/tool_name.ts")).findTypedName(given, { operands, line, options })
    : given;
  const isJson = rest.length === 0 ||
    rest.length === 1 && (/^\s*\{/.test(rest[0]!) || line.options.has("repair-json"));
  const explain = async (error: unknown) => {
    if (!(error instanceof CallError)) throw error;
    const { explainArguments } = await import("./arguments/arguments_hint.ts");
    throw await explainArguments(error, name, options);
  };
  try {
    const request = isTyped && !isJson
      ? await (await import("./arguments/typed_request.ts"))
        .typedRequest({ name, operands: rest }, process, { line, options })
      : await readRequest([name, ...rest], process, line);
    return { ...request, read: () => request.read().catch(explain) };
  } catch (error) {
    return await explain(error);
  }
}

/** Returns how calls of the bash that Anthropic defines find their shell. */
export function bashReading(line: CommandLine, registry: Registry): BashReading {
  return {
    session: line.options.get("session"),
    async hasSessions() {
      // A worker on another machine keeps no shell.
      if (line.options.has("nats")) return false;
      try {
        const { name, inputSchema } = (await registry.get("bash").load()).metadata;
        const properties = inputSchema["properties"];
        return name === "Bash" && isObject(properties) && Object.hasOwn(properties, "session");
      } catch {
        // The call itself reports that its tool is disabled.
        return false;
      }
    },
  };
}

/** Whether a tool has that very name, a disabled tool and any tool of an MCP server included. */
function isKnown(name: string, registry: Registry): boolean {
  if (name.startsWith("mcp__")) return true;
  try {
    registry.get(name);
    return true;
  } catch (error) {
    return !(error instanceof ToolNotFoundError);
  }
}
