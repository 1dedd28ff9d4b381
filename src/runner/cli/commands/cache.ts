import { UsageError } from "../../../base/errors.ts";
import { type CachedVersion, cachedVersions, removeVersion } from "../../cache/cached_versions.ts";
import { removeAll } from "../../cache/remove_all.ts";
import { hint, nearest } from "../../../base/text/nearest.ts";
import { quote, quotePath } from "../../../base/text/quote.ts";
import { type Command, readFormat } from "../command.ts";
import { refuseOperands } from "../operands.ts";
import { layoutFor } from "../print/style.ts";
import { type Cell, tableLines } from "../print/table.ts";
import { ownVariable } from "../../own_environment.ts";
import { writeAll } from "../streams.ts";

/** `toolcall cache` lists the unpacked versions; `toolcall cache clean` removes old ones. */
export const cacheCommand: Command = async (line, operands, process) => {
  const [name = "list"] = operands;
  refuseOperands(operands, 1);
  const format = readFormat(line, ["text", "json"]);
  if (name !== "list" && name !== "clean") {
    const near = nearest(name, ["list", "clean"]);
    const all = near === undefined ? "available: list and clean" : hint(near, "");
    throw new UsageError(`Unknown subcommand ${quote(name)} of cache; ${all}`);
  }
  const isAll = line.options.has("all");
  const withState = line.options.has("state");
  if (isAll && name === "list") throw new UsageError('--all belongs to "cache clean"');
  if (withState && !isAll) throw new UsageError('--state belongs to "cache clean --all"');
  const { stdout } = process;
  const isUnpacked = ownVariable("executable") !== undefined;
  if (isAll) {
    const running = isUnpacked ? process.program.directory : undefined;
    const { failed, ...result } = removeAll(running, { withState });
    const directories = result.directories.map((path) => `Removed ${quotePath(path)}\n`).join("");
    const count = `Removed ${result.removed.length} versions, ${mebibytes(result.bytes)}\n`;
    const text = format === "json" ? `${JSON.stringify(result)}\n` : count + directories;
    await writeAll(stdout, text);
    await writeAll(process.stderr, failed.map((each) => `toolcall: ${each}\n`).join(""));
    return failed.length === 0 ? 0 : 1;
  }
  if (!isUnpacked) {
    await writeAll(
      stdout,
      format === "json" ? '{"directory":null,"versions":[]}\n' : "This program unpacks nothing\n",
    );
    return 0;
  }
  const { directory: running } = process.program;
  const directory = running.slice(0, running.lastIndexOf("/"));
  const versions = cachedVersions(directory, running);
  if (name === "list") {
    const text = format === "json"
      ? `${JSON.stringify({ directory, versions })}\n`
      : formatVersions(directory, versions, layoutFor(stdout));
    await writeAll(stdout, text);
    return 0;
  }
  const removed: CachedVersion[] = [];
  const failed: string[] = [];
  for (const version of versions) {
    if (version.isRunning || version.isInUse || !version.isOld) continue;
    const fault = removeVersion(directory, version);
    if (fault === undefined) removed.push(version);
    else failed.push(`toolcall: Cannot remove ${quotePath(version.name)}: ${fault}\n`);
  }
  const bytes = removed.reduce((sum, version) => sum + version.bytes, 0);
  const kept = versions.length - removed.length;
  const text = format === "json"
    ? `${JSON.stringify({ directory, removed: removed.map((each) => each.name), bytes, kept })}\n`
    : `Removed ${removed.length} of ${versions.length} versions, ${mebibytes(bytes)}, from ${
      quotePath(directory)
    }\n`;
  await writeAll(stdout, text);
  await writeAll(process.stderr, failed.join(""));
  return failed.length === 0 ? 0 : 1;
};

function formatVersions(
  directory: string,
  versions: readonly CachedVersion[],
  page: ReturnType<typeof layoutFor>,
): string {
  const rows = [
    ["VERSION", "SIZE", "USED", "STATE"].map((text): Cell => ({ text, style: "faint" })),
    ...versions.map(({ name, bytes, usedAt, isRunning, isInUse, isOld }): Cell[] => [
      { text: name.slice(0, 16), style: "strong" },
      { text: mebibytes(bytes) },
      { text: new Date(usedAt).toISOString().slice(0, 16).replace("T", " ") },
      { text: isRunning ? "this version" : isInUse ? "in use" : isOld ? "old" : "recent" },
    ]),
  ];
  const total = versions.reduce((sum, version) => sum + version.bytes, 0);
  return [...tableLines(rows, page), `${mebibytes(total)} in ${quotePath(directory)}`]
    .map((each) => `${each}\n`).join("");
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MiB`;
}
