/**
 * Which configuration counts. A file that was cloned or downloaded may define rights and programs, so
 * a project's file does that only while the user trusts its text. Restrictions always count.
 */

import { findNodeAtLocation, type Node, parse } from "jsonc-parser";
import { CallError } from "../../base/errors.ts";
import { isObject } from "../../base/json/is_object.ts";
import { quote, quotePath } from "../../base/text/quote.ts";
import { truncate } from "../../base/text/truncate.ts";
import { stateDirectory, usualStateDirectory } from "../state/state_directory.ts";
import { TrustedFiles } from "../state/trusted_files.ts";
import { type ConfigFile, configTree, lineAndColumn } from "./config_file.ts";
import { type ConfigPlace, ownConfigFile, projectFile } from "./config_files.ts";
import { redactConfig } from "./redact_config.ts";

/** Describes an entry of each section that grants something or starts a program. */
const EFFECTS: Readonly<Record<string, (entry: unknown) => string>> = {
  permissions: (entry) => `grants ${json(entry)}`,
  mcpServers: (entry) => {
    const { command, args, url } = objectOf(entry);
    return command === undefined
      ? `sends calls to ${json(url)}`
      : `starts ${json([command, ...(Array.isArray(args) ? args : [])])} outside of the sandbox`;
  },
  commands: (entry) => `runs ${json(objectOf(entry)["run"])}`,
  apis: (entry) => `sends requests to ${json(objectOf(entry)["server"])}`,
  prompts: (entry) => `offers the prompts in ${json(entry)}`,
};

/** The most characters of an entry that are shown. */
const MAX_SHOWN = 300;

/** An entry of a file that grants something or starts a program. */
export interface Effect {
  /** Its section. */
  section: string;
  /** Its name in the section. */
  name: string;
  /** The line in the file, from 1. */
  line: number;
  /** A verb and its object, as the end of a sentence. */
  effect: string;
}

/** Whether entries of the section grant something or start a program. */
export function isGranting(section: string): boolean {
  return Object.hasOwn(EFFECTS, section);
}

/** The file that somebody else may have written: that of the root directory, unless a flag names it. */
export function foreignFile(place: ConfigPlace): string | undefined {
  const path = projectFile(place);
  return place.file !== undefined || path === ownConfigFile(place) ? undefined : path;
}

/** Whether the user trusts the text of a file. */
export function isTrusted(
  { path, text }: Pick<ConfigFile, "path" | "text">,
  place: Pick<ConfigPlace, "stateDir">,
): boolean {
  return trustedFiles(place)?.has(path, text) ?? false;
}

/** The list of the trusted files. Undefined without a state directory: then none is trusted. */
export function trustedFiles(
  { stateDir }: Pick<ConfigPlace, "stateDir">,
): TrustedFiles | undefined {
  const directory = stateDir ?? usualStateDirectory();
  return directory === undefined ? undefined : new TrustedFiles(stateDirectory(directory));
}

/** Everything that a file grants or starts, in the order of the file. */
export function effectsOf({ path, text, value }: Omit<ConfigFile, "directory">): Effect[] {
  const { root } = configTree(path, text);
  const lineOf = (...tokens: string[]) => lineIn(text, root, tokens);
  const shown = redactConfig(value);
  return Object.keys(shown).filter(isGranting).flatMap((section): Effect[] => {
    const entries = shown[section];
    if (!isObject(entries)) return [];
    return Object.entries(entries).map(([name, entry]) => ({
      ...{ section, name, line: lineOf(section, name) },
      effect: EFFECTS[section]!(entry),
    }));
  });
}

/**
 * Trusts the text of a project's file after the user has edited it by a command, unless the file had
 * entries before that the user does not trust.
 */
export function trustEdit(
  path: string,
  { before, after, place }: { before: string; after: string; place: ConfigPlace },
): void {
  if (path !== projectFile(place)) return;
  const hasEffects = (text: string) => effectsOf({ path, text, value: parseText(text) }).length > 0;
  if (!hasEffects(after)) return;
  if (hasEffects(before) && !isTrusted({ path, text: before }, place)) return;
  trustedFiles(place)?.add(path, after);
}

/** The error of an entry that does not count, because the user does not trust its file. */
export function notTrusted(
  file: Omit<ConfigFile, "directory">,
  { section, name }: Pick<Effect, "section" | "name">,
): CallError {
  const { path } = file;
  const found = effectsOf(file).find((each) => each.section === section && each.name === name);
  const { line, effect } = found ?? { line: 1, effect: "is not an object" };
  const message =
    `Cannot use ${section} ${quote(name)} of ${quotePath(path)}: you have not trusted ` +
    `this file. Line ${line} ${effect}. Read it, then run: toolcall config trust ${
      quotePath(path)
    }`;
  return new CallError("unavailable", message, { config: path });
}

function lineIn(text: string, root: Node | undefined, tokens: string[]): number {
  const node = root && findNodeAtLocation(root, tokens);
  return lineAndColumn(text, node?.parent?.offset ?? node?.offset ?? 0).line;
}

function parseText(text: string): Record<string, unknown> {
  return objectOf(parse(text, [], { allowTrailingComma: true }));
}

function objectOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}

/** The start of a value as JSON. */
function json(value: unknown): string {
  return truncate(JSON.stringify(value) ?? "nothing", MAX_SHOWN);
}
