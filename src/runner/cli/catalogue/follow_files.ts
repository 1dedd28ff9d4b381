/** The files that decide which tools a long-lived process has. */

import { osErrorMessage } from "../../../base/os_error_message.ts";
import {
  configFiles,
  configPlace,
  ownConfigFile,
  projectFile,
  toolsDirectory,
} from "../../config/config_files.ts";
import { pathRules } from "../../../base/fs/path_rules.ts";
import { trustedFiles } from "../../config/trust.ts";
import { serverIn } from "../../mcp/client/tool_names.ts";
import type { Registry } from "../../registry/registry.ts";
import type { CommandLine, Process } from "../command.ts";
import { warn } from "./catalogue.ts";

/** The interval of the looks at the files, in milliseconds. */
const LOOK_MS = 1_000;

/** So long after a change, another one may leave the time of a file as it is, in milliseconds. */
const SETTLED_MS = 2_000;

/** The most files of a tools directory that are looked at. */
const MAX_FILES = 2_000;

/** The source files of tools. */
const SOURCE = /\.(ts|js|mjs|json)$/;

/**
 * Keeps a catalogue as the configuration files and the tools directory say, while the process runs.
 * It looks at the times of these files each second, and reads them when one has changed. An invalid
 * file leaves the catalogue as it is, and stderr gets the reason. It ends when the result is disposed.
 */
export function followFiles(registry: Registry, line: CommandLine, process: Process): Disposable {
  const place = { ...configPlace(line), isEmpty: false };
  const named = line.options.get("tools-dir");
  // No grant of this process protects a tools directory that was made later.
  const tools = toolsDirectory(place, named);
  const files = [
    ...place.file === undefined
      ? [projectFile(place), ...[ownConfigFile(place) ?? []].flat()]
      : configFiles(place),
    ...[trustedFiles(place)?.path ?? []].flat(),
  ];
  const stateNow = () => stateOf([...files, ...(tools === undefined ? [] : sourcesIn(tools))]);
  let before = stateNow();
  let isReading = false;
  const look = async () => {
    const now = stateNow();
    if (isReading || now === before) return;
    [before, isReading] = [now, true];
    try {
      if (toolsDirectory(place, named) !== tools) return;
      const fresh = await process.callOptions(line, { looksAgain: true });
      registry.follow(fresh.registry, ({ name }) => serverIn(name) !== undefined);
      await fresh.servers.closeAll();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      await warn([`the tools stay as they were: ${why}`], process);
    } finally {
      isReading = false;
    }
  };
  const timer = setInterval(() => void look().catch(() => {}), LOOK_MS);
  Deno.unrefTimer(timer);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** A string that differs when a file was changed, added or removed. */
function stateOf(paths: readonly string[]): string {
  const now = Date.now();
  return paths.map((path) => {
    try {
      const { ino, size, mode, uid, mtime, ctime } = Deno.statSync(path);
      const times = [mtime, ctime].map((time) => time?.getTime() ?? 0);
      const isRecent = now - Math.max(...times) < SETTLED_MS;
      return [path, ino, size, mode, uid, ...times, isRecent].join(":");
    } catch (error) {
      return `${path}:${osErrorMessage(error)}`;
    }
  }).join("\n");
}

/** The sources in a directory and the directories in it. */
function sourcesIn(directory: string): string[] {
  const found: string[] = [directory];
  const visit = (path: string) => {
    try {
      for (const { name, isDirectory } of Deno.readDirSync(path)) {
        if (found.length >= MAX_FILES) return;
        if (isDirectory && !/^(\.|node_modules$)/.test(name)) visit(pathRules.resolve(path, name));
        else if (SOURCE.test(name)) found.push(pathRules.resolve(path, name));
      }
    } catch { /* The look at the directory itself says that it is missing. */ }
  };
  visit(directory);
  return found;
}
