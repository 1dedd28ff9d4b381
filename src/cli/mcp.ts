import { type Command, refuseOperands } from "./command.ts";
import { UsageError } from "./usage_error.ts";

/** `toolcall mcp`, the server, and `toolcall mcp install CLIENT`. */
export const mcpCommand: Command = async (line, operands, process) => {
  const [first, ...rest] = operands;
  if (first === "install") {
    const { mcpInstallCommand } = await import("../cli/mcp_install.ts");
    return await mcpInstallCommand(line, rest, process);
  }
  refuseOperands(operands, 0);
  for (const flag of ["write", "print"]) {
    if (!line.options.has(flag)) continue;
    throw new UsageError(`The flag --${flag} goes with "toolcall mcp install CLIENT"`);
  }
  const { mcpServeCommand } = await import("../cli/mcp_serve.ts");
  return await mcpServeCommand(line, operands, process);
};
