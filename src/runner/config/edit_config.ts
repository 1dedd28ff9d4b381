import { parse } from "jsonc-parser";
import { CallError } from "../../base/errors.ts";
import { fileTarget } from "../../base/fs/system_error.ts";
import { setJsonMember } from "../../base/json/json_member.ts";
import { rewriteFile } from "../../base/fs/rewrite_file.ts";
import { quote } from "../../base/text/quote.ts";
import { nearest } from "../../base/text/nearest.ts";
import { isObject } from "../../base/json/is_object.ts";
import { apiFaults } from "../api_tools/api_config.ts";
import { apiEntries } from "../api_tools/api_entries.ts";
import { commandFaults } from "../command_tools/command_config.ts";
import { commandEntries } from "../command_tools/command_entries.ts";
import type { RegistryEntry } from "../registry/registered_tool.ts";
import type { ConfigEdit, ConfiguredValue, Json } from "../registry/services.ts";
import { isThere, realPath } from "../sandbox/policy/paths.ts";
import { MAX_CONFIG_BYTES, readConfigFile } from "./config_file.ts";
import { configFaults, isUnknownSection } from "./config_faults.ts";
import { configFiles, type ConfigPlace } from "./config_files.ts";
import { MASK } from "../../base/text/redact.ts";
import { redactConfig } from "./redact_config.ts";
import { bundleNameFaults, nameFaults } from "./name_faults.ts";
import { parsePointer, valueAt } from "../../base/json/json_pointer.ts";
import { schemaAt, schemaKeys } from "./schema_words.ts";
import { trustEdit } from "./trust.ts";

/** The published schema, relative to the configuration file. */
const SCHEMA = "./toolcall.schema.json";

/**
 * The values of all configuration files at a JSON pointer. The file of the root directory comes
 * first. Possible secrets are redacted. Throws `unavailable` for a file that cannot be read, and
 * `invalid_arguments` for a pointer that no configuration can have.
 */
export function readConfigured(pointer: string, place: ConfigPlace): ConfiguredValue[] {
  const tokens = pointer === "" ? [] : sectionTokens(pointer);
  return configFiles(place).map(readConfigFile).map(({ path, value }) => ({
    file: path,
    ...valueUnder("value", value, tokens),
  }));
}

/**
 * Sets the value at a JSON pointer in the first configuration file, or in a new file in the root
 * directory. Undefined removes it. All other bytes of the file stay. Rejects with all errors if the
 * result would be invalid, and then writes nothing.
 */
export async function editConfig(
  { pointer, value }: { pointer: string; value: Json | undefined },
  { place, tools }: { place: ConfigPlace; tools: readonly RegistryEntry[] },
): Promise<ConfigEdit> {
  const tokens = sectionTokens(pointer);
  rejectMask(pointer, value);
  const [file = `${place.root}/toolcall.json`] = configFiles(place);
  const target = fileTarget(realPath, { given: file, action: "edit" });
  const { state, before, after } = await rewriteFile(target, (text) => {
    const isBlank = text.trim() === "";
    if (isBlank && value === undefined) return text;
    const result = setJsonMember(isBlank ? emptyConfiguration(place) : text, {
      path: tokens,
      value,
    });
    if (result !== text) rejectFaults(result, tools);
    return result;
  });
  trustEdit(file, { before, after, place });
  // After adding to a list, the whole list is shown.
  const shown = tokens.at(-1) === "-" ? tokens.slice(0, -1) : tokens;
  return {
    file,
    isChanged: state !== "unchanged",
    ...valueUnder("before", valueOf(before), shown),
    ...valueUnder("value", valueOf(after), shown),
  };
}

/** More names than lead to anything in a configuration. */
const MAX_TOKENS = 100;

/** The tokens of a pointer into a section. */
function sectionTokens(pointer: string): [string, ...string[]] {
  const [section = "", ...rest] = parsePointer(pointer);
  const known = schemaKeys(schemaAt([]));
  const refuse = (why: string): never => {
    const message = `Cannot find ${quote(pointer)} in a configuration: ${why}`;
    throw new CallError("invalid_arguments", message, { setting: pointer.slice(0, 200) });
  };
  // RFC 6901 allows "~" only in "~0" and "~1".
  if (rest.length > MAX_TOKENS) refuse("it is nested too deeply for a configuration");
  if (/~(?![01])/.test(pointer)) refuse('it contains a "~" that is neither "~0" nor "~1"');
  if (!known.includes(section)) {
    const near = nearest(section, known);
    const hint = near === undefined ? "available" : `did you mean ${quote(`/${near}`)}? Available`;
    refuse(`${hint}: ${known.map((each) => `/${each}`).join(", ")}`);
  }
  return [section, ...rest];
}

/** Rejects a value that contains the mask of redacted secrets. */
function rejectMask(pointer: string, value: Json | undefined): void {
  if (!pointer.startsWith("/mcpServers") || !JSON.stringify(value ?? "").includes(MASK)) return;
  throw new CallError(
    "invalid_arguments",
    `Cannot set ${quote(pointer)}: the value holds "${MASK}", which replaces hidden values; set ` +
      `a single value by a longer pointer`,
  );
}

function rejectFaults(text: string, tools: readonly RegistryEntry[]): void {
  if (new TextEncoder().encode(text).length > MAX_CONFIG_BYTES) {
    throw new Error("it would be longer than 1 MiB");
  }
  const value = valueOf(text);
  const commands = isObject(value["commands"]) ? value["commands"] : {};
  const apis = isObject(value["apis"]) ? value["apis"] : {};
  const known = [
    ...tools,
    ...commandEntries({ path: "", directory: "", value: commands }),
    ...apiEntries({ directory: "", value: apis }),
  ];
  const faults = [
    ...configFaults(value).filter((fault) => !isUnknownSection(fault)),
    ...nameFaults(value, known),
    ...bundleNameFaults(value, known),
    ...Object.entries(commands).flatMap(([name, entry]) => commandFaults(name, entry)),
    ...Object.entries(apis).flatMap(([name, entry]) => apiFaults(name, entry)),
  ];
  if (faults.length === 0) return;
  throw new Error(faults.map(({ path, message }) => `${path}: ${message}`).join("; "));
}

/** The text of a new configuration file. */
function emptyConfiguration({ root }: ConfigPlace): string {
  return isThere(`${root}/${SCHEMA}`) ? `{\n  "$schema": ${JSON.stringify(SCHEMA)}\n}\n` : "{}\n";
}

function valueOf(text: string): Record<string, unknown> {
  return text.trim() === "" ? {} : parse(text, [], { allowTrailingComma: true });
}

/** The redacted value at the tokens, as an object with that key. Empty if it is missing. */
function valueUnder(
  key: "value" | "before",
  config: Record<string, unknown>,
  tokens: readonly string[],
): { value?: Json; before?: Json } {
  const value = valueAt(redactConfig(config), tokens);
  return value === undefined ? {} : { [key]: value as Json };
}
