import { plural } from "../../../base/text/amounts.ts";
import { keptFlag, KeptPermissions } from "../../state/kept_permissions.ts";
import { stateDirectory } from "../../state/state_directory.ts";
import { type Command, readFormat } from "../command.ts";
import { refuseOperands } from "../operands.ts";
import { inline, layoutFor } from "../print/style.ts";
import { type Cell, tableLines } from "../print/table.ts";
import { writeAll } from "../streams.ts";

/** `toolcall config prompts [--clear]`: prints or removes the permissions that `--prompt` has kept. */
export const configPromptsCommand: Command = async (line, operands, { stdout }) => {
  refuseOperands(operands, 0);
  const format = readFormat(line, ["text", "json"]);
  const kept = new KeptPermissions(stateDirectory(line.options.get("state-dir")));
  if (line.options.has("clear")) {
    const removed = kept.clear();
    const text = `Removed ${plural(removed, "kept permission")}\n`;
    await writeAll(stdout, format === "json" ? `${JSON.stringify({ removed })}\n` : text);
    return 0;
  }
  const all = [...kept.all()].flatMap(([directory, permissions]) =>
    permissions.map(({ kind, value }) => ({ directory, kind, value }))
  );
  if (format === "json") {
    await writeAll(stdout, `${JSON.stringify({ file: kept.path, permissions: all })}\n`);
    return 0;
  }
  if (all.length === 0) {
    await writeAll(stdout, "No permissions are kept. A call with --prompt can keep some.\n");
    return 0;
  }
  const rows: Cell[][] = all.map(({ directory, kind, value }) => [
    { text: inline(directory) },
    { text: inline(keptFlag({ kind, value })) },
  ]);
  const headers: Cell[] = [{ text: "DIRECTORY", style: "strong" }, {
    ...{ text: "PERMISSION", style: "strong" },
  }];
  const lines = tableLines([headers, ...rows], layoutFor(stdout));
  await writeAll(stdout, lines.map((each) => `${each}\n`).join(""));
  return 0;
};
