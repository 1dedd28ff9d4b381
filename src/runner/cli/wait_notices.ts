import type { CommandLine, Process } from "./command.ts";
import { writeInPlaceOfLine } from "./print/elapsed_line.ts";
import { inline } from "./print/style.ts";
import { isVerbose, writeAll } from "./streams.ts";

/**
 * Says on stderr what is waited for. Only a person needs it, who waits at a terminal or has asked
 * for all steps. For a program, the stderr of a success stays empty. Never rejects.
 */
export async function noticeWait(
  message: string,
  line: CommandLine,
  { stderr }: Process,
): Promise<void> {
  const isWatched = stderr.isTerminal() && !line.options.has("quiet");
  if (!isWatched && !isVerbose(line)) return;
  const write = isWatched ? writeInPlaceOfLine : writeAll;
  await write(stderr, `toolcall: ${inline(message)}\n`).catch(() => {});
}
