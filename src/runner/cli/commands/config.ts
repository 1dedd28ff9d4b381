import { hint, nearest } from "../../../base/text/nearest.ts";
import { quote } from "../../../base/text/quote.ts";
import schema from "../../../../toolcall.schema.json" with { type: "json" };
import { type Command, refuseOperands } from "../command.ts";
import { writeAll } from "../streams.ts";
import { UsageError } from "../../../base/errors.ts";

/** What follows `config`. */
const ACTIONS = ["check", "schema"];

/** `toolcall config check [FILE]` and `toolcall config schema`. */
export const configCommand: Command = async (line, operands, process) => {
  const [action, ...rest] = operands;
  if (action === "check") {
    const { configCheckCommand } = await import("../print/config_check.ts");
    return await configCheckCommand(line, rest, process);
  }
  const known = `known are "config check" and "config schema"`;
  if (action === undefined) throw new UsageError(`What to do with it is missing; ${known}`);
  if (action !== "schema") {
    const near = nearest(action, ACTIONS);
    const all = near === undefined ? known : hint(near, "");
    throw new UsageError(`Unknown command "config" ${quote(action)}; ${all}`);
  }
  const [given] = line.options.keys();
  if (given !== undefined) throw new UsageError(`Cannot use --${given} with "config schema"`);
  refuseOperands(rest, 0);
  await writeAll(process.stdout, `${JSON.stringify(schema, null, 2)}\n`);
  return 0;
};
