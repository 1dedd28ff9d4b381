/** `submit --attach` and `submit --cancel`, which take no calls. */

import { UsageError } from "../../base/errors.ts";
import type { CallResult } from "../call/failure.ts";
import { STOP_SIGNALS } from "../call/cancel.ts";
import { mcpRequest } from "../dialect/request.ts";
import { attachBatch } from "../remote/attach_batch.ts";
import { cancelBatch } from "../remote/cancel_batch.ts";
import { connectTo, userOf } from "../remote/connection.ts";
import { type LineFormat, renderResultLine } from "../submit/result_line.ts";
import type { SubmitId } from "../submit/submitted_line.ts";
import type { CommandLine, Process } from "./command.ts";
import { natsAddress, poolOf, tokenOf } from "./remote_flags.ts";
import { writeAll } from "./streams.ts";

/** The exit codes: some call failed, and a signal came. */
const [FAILED, INTERRUPTED] = [1, 7];

/** Prints the results of a batch, or cancels its calls. Returns the exit code. */
export async function runBatchCommand(
  line: CommandLine,
  { stdout, stderr }: Process,
  format: LineFormat,
): Promise<number> {
  const { options } = line;
  const address = natsAddress(line);
  const id = options.get("batch");
  if (id === undefined) throw new UsageError("The flags --attach and --cancel need --batch=ID");
  if (options.has("attach") && options.has("cancel")) {
    throw new UsageError("Use --attach or --cancel, and not both");
  }
  const batch = `${userOf(address)}.${tokenOf("batch", id)}`;
  const place = { pool: poolOf(line), batch };
  const stop = new AbortController();
  for (const name of STOP_SIGNALS) Deno.addSignalListener(name, () => stop.abort());
  const connection = await connectTo(address, "toolcall submit");
  try {
    if (options.has("cancel")) {
      const { cancelled, running } = await cancelBatch(connection, place);
      const text =
        `toolcall: cancelled ${cancelled} waiting calls, stopped ${running} running calls\n`;
      await writeAll(stderr, text);
      return 0;
    }
    let failed = 0;
    const take = async (id: SubmitId, result: CallResult) => {
      if (result.isError) failed++;
      const call = { id, incoming: { call: { name: "", arguments: {} } } };
      const request = mcpRequest(undefined);
      await writeAll(stdout, await renderResultLine({ request, call }, result, format));
    };
    await attachBatch(connection, place, { take, signal: stop.signal });
    if (stop.signal.aborted) return INTERRUPTED;
    return failed > 0 ? FAILED : 0;
  } finally {
    await connection.close();
  }
}
