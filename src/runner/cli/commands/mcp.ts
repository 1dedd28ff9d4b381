import { type Command, refuseOperands } from "../command.ts";
import { HTTP_FLAGS } from "../flags/mcp_address.ts";
import type { CommandLine } from "../parse.ts";
import { UsageError } from "../../../base/errors.ts";

/** `toolcall mcp`, the server, and `toolcall mcp install CLIENT`. */
export const mcpCommand: Command = async (line, operands, process) => {
  const [first, ...rest] = operands;
  if (first === "install") {
    refuse(["http", ...HTTP_FLAGS], line, "a client starts the server over stdio");
    const { mcpInstallCommand } = await import("./mcp_install.ts");
    return await mcpInstallCommand(line, rest, process);
  }
  refuseOperands(operands, 0);
  refuse(["write", "print", "name"], line, 'it goes with "toolcall mcp install CLIENT"');
  const { mcpServeCommand } = await import("./mcp_serve.ts");
  return await mcpServeCommand(line, operands, process);
};

function refuse(flags: string[], { options }: CommandLine, why: string): void {
  const given = flags.find((flag) => options.has(flag));
  if (given !== undefined) throw new UsageError(`Cannot use --${given} here: ${why}`);
}
