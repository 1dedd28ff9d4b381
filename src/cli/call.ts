import { requestOf } from "../dialect/request.ts";
import { answer } from "../engine/answer.ts";
import { type CallResult, exitCodeOf, failureOf, failureResult } from "../engine/failure.ts";
import { Registry } from "../registry/registry.ts";
import { readInput } from "./input.ts";
import { type Command, refuseOperands } from "./command.ts";
import { settingsOf } from "./settings.ts";
import { writeAll } from "./streams.ts";

/** `toolcall [call] [NAME [JSON]]`: runs one call and prints its result as one line of JSON. */
export const callCommand: Command = async (line, operands, process) => {
  refuseOperands(operands, 2);
  const settings = settingsOf(line, process);
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
