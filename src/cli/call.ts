import { requestOf } from "../dialect/request.ts";
import { answer } from "../engine/answer.ts";
import { type CallResult, exitCodeOf, failureOf, failureResult } from "../engine/failure.ts";
import { Registry } from "../registry/registry.ts";
import { quote } from "../quote.ts";
import { readInput } from "./input.ts";
import type { CommandLine } from "./parse.ts";
import { UsageError } from "./usage_error.ts";
import { type Command, type Process, refuseOperands } from "./command.ts";
import { settingsOf } from "./settings.ts";
import { writeAll } from "./streams.ts";

/** `toolcall [call] [NAME [JSON]]`: runs one call and prints its result as one line of JSON. */
export const callCommand: Command = async (line, operands, process) => {
  refuseOperands(operands, 2);
  if (line.options.has("wall")) return await insideWall(line, process);
  const settings = await settingsOf(line, process);
  const { result, rendered } = await respond();
  await writeAll(process.stdout, `${JSON.stringify(rendered)}\n`);
  return exitCodeOf(result);

  async function respond(): Promise<{ result: CallResult; rendered: unknown }> {
    let request = requestOf(undefined);
    try {
      request = requestOf(await readInput(operands, process));
      const asked = request.read();
      if (asked === "list") {
        const { toMcp } = await import("../registry/definitions.ts");
        const tools = (await new Registry(process.entries).list()).map(toMcp);
        return {
          result: { content: [], isError: false },
          rendered: request.renderList(tools),
        };
      }
      const result = await answer(asked, settings);
      return { result, rendered: request.render(result) };
    } catch (error) {
      const result = failureResult(failureOf(error));
      return { result, rendered: request.render(result) };
    }
  }
};

/** The same command line behind one wall more. */
async function insideWall(line: CommandLine, process: Process): Promise<number> {
  const wall = line.options.get("wall")!;
  if (wall !== "bwrap") throw new UsageError(`Unknown wall ${quote(wall)}; known is bwrap`);
  try {
    const { runInsideBubblewrap } = await import("../cli/inside_bubblewrap.ts");
    return await runInsideBubblewrap(line, process);
  } catch (error) {
    const result = failureResult(failureOf(error));
    await writeAll(process.stdout, `${JSON.stringify(result)}\n`);
    return exitCodeOf(result);
  }
}
