import { parse } from "jsonc-parser";
import { CallError } from "../../base/errors.ts";
import { fileTarget } from "../../base/fs/system_error.ts";
import { setJsonMember } from "../../base/json/json_member.ts";
import { rewriteFile } from "../../base/fs/rewrite_file.ts";
import { quote } from "../../base/text/quote.ts";
import { nearest } from "../../base/text/nearest.ts";
import type { RegistryEntry } from "../registry/registered_tool.ts";
import type { ConfigEdit, ConfiguredValue, Json } from "../registry/services.ts";
import { isThere, realPath } from "../sandbox/policy/paths.ts";
import { LONGEST, readConfigFile } from "./config_file.ts";
import { configFaults, isForeign } from "./config_faults.ts";
import { configFiles, type ConfigPlace } from "./files.ts";
import { MASK, maskedConfig } from "./masked_config.ts";
import { nameFaults, takenFaults } from "./name_faults.ts";
import { tokensOf, valueAt } from "../../base/json/json_pointer.ts";
import { schemaAt, schemaKeys } from "./schema_words.ts";

/** Where the published schema is looked for, from a file beside it. */
const SCHEMA = "./toolcall.schema.json";

/**
 * What each file of the configuration says at a JSON pointer, that of the root folder first;
 * what may be a secret is masked. Throws `unavailable` for a file that cannot be read, and
 * `invalid_arguments` for a pointer into something that no configuration has.
 */
export function readConfigured(pointer: string, place: ConfigPlace): ConfiguredValue[] {
  const tokens = pointer === "" ? [] : sectionTokens(pointer);
  return configFiles(place).map(readConfigFile).map(({ path, value }) => ({
    file: path,
    ...said("value", value, tokens),
  }));
}

/** One edit of the configuration. */
export interface Edit {
  /** JSON pointer to what is set. */
  pointer: string;
  /** Its value; `undefined` takes it away. */
  value: Json | undefined;
}

/**
 * Sets a value in the first file of the configuration, or in a new one in the root folder;
 * every byte that is about something else stays. Throws where the result would be no
 * configuration, with everything that is wrong, and then nothing is written.
 */
export async function editConfig(
  { pointer, value }: Edit,
  { place, tools }: { place: ConfigPlace; tools: readonly RegistryEntry[] },
): Promise<ConfigEdit> {
  const tokens = sectionTokens(pointer);
  refuseMask(pointer, value);
  const [file = `${place.root}/toolcall.json`] = configFiles(place);
  const target = fileTarget(realPath, { given: file, action: "edit" });
  const { state, before, after } = await rewriteFile(target, (text) => {
    const isBlank = text.trim() === "";
    if (isBlank && value === undefined) return text;
    const result = setJsonMember(isBlank ? newText(place) : text, { path: tokens, value });
    if (result !== text) refuseFaults(result, tools);
    return result;
  });
  // Of one more item in a list, the list is what there is to see.
  const shown = tokens.at(-1) === "-" ? tokens.slice(0, -1) : tokens;
  return {
    file,
    isChanged: state !== "unchanged",
    ...said("before", valueOf(before), shown),
    ...said("value", valueOf(after), shown),
  };
}

/** More names than lead to anything in a configuration. */
const DEEPEST = 100;

/** The tokens of a pointer into a section. */
function sectionTokens(pointer: string): [string, ...string[]] {
  const [section = "", ...rest] = tokensOf(pointer);
  const known = schemaKeys(schemaAt([]));
  const refuse = (why: string): never => {
    const message = `Cannot find ${quote(pointer)} in a configuration: ${why}`;
    throw new CallError("invalid_arguments", message, { setting: pointer.slice(0, 200) });
  };
  // Of a pointer RFC 6901 takes "~" as "~0" and "~1" alone.
  if (rest.length > DEEPEST) refuse("no configuration is as deep");
  if (/~(?![01])/.test(pointer)) refuse('it holds a "~" that is neither "~0" nor "~1"');
  if (!known.includes(section)) {
    const near = nearest(section, known);
    const hint = near === undefined ? "" : `the nearest is ${quote(`/${near}`)}; `;
    refuse(`${hint}known are ${known.map((each) => `/${each}`).join(", ")}`);
  }
  return [section, ...rest];
}

/** Refuses to write what stands for secrets that are not shown. */
function refuseMask(pointer: string, value: Json | undefined): void {
  if (!pointer.startsWith("/mcpServers") || !JSON.stringify(value ?? "").includes(MASK)) return;
  throw new CallError(
    "invalid_arguments",
    `Cannot set ${quote(pointer)}: the value holds "${MASK}", which stands for what is not ` +
      "shown; set what is to change by a longer pointer",
  );
}

function refuseFaults(text: string, tools: readonly RegistryEntry[]): void {
  if (new TextEncoder().encode(text).length > LONGEST) {
    throw new Error("it would be longer than 1 MiB");
  }
  const value = valueOf(text);
  const faults = [
    ...configFaults(value).filter((fault) => !isForeign(fault)),
    ...nameFaults(value, tools),
    ...takenFaults(value, tools),
  ];
  if (faults.length === 0) return;
  throw new Error(faults.map(({ path, message }) => `${path}: ${message}`).join("; "));
}

/** A configuration that says nothing. */
function newText({ root }: ConfigPlace): string {
  return isThere(`${root}/${SCHEMA}`) ? `{\n  "$schema": ${JSON.stringify(SCHEMA)}\n}\n` : "{}\n";
}

function valueOf(text: string): Record<string, unknown> {
  return text.trim() === "" ? {} : parse(text, [], { allowTrailingComma: true });
}

/** What a configuration says at the tokens, under a key, if it says anything. */
function said(
  key: "value" | "before",
  config: Record<string, unknown>,
  tokens: readonly string[],
): { value?: Json; before?: Json } {
  const value = valueAt(maskedConfig(config), tokens);
  return value === undefined ? {} : { [key]: value as Json };
}
