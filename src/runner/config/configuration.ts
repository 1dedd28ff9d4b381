import { isObject } from "../../base/json/is_object.ts";
import type { RegistryEntry } from "../registry/registered_tool.ts";
import { type Grants, programsMayWrite, toolsMayWrite } from "../sandbox/policy/grants.ts";
import { type ConfigFile, readConfigFile, unusable } from "./config_file.ts";
import { type ConfigFault, configFaults } from "./config_faults.ts";
import { configFiles, type ConfigPlace } from "./config_files.ts";
import { nameFaults } from "./name_faults.ts";

/** A top-level section of one configuration file: its `value` is that of the section. */
export type ConfigSection = ConfigFile;

/** The names of the sections. */
export type SectionName =
  | "mcpServers"
  | "tools"
  | "bundles"
  | "permissions"
  | "policy"
  | "commands"
  | "prompts"
  | "apis";

/** A file and its violations of the schema. */
type CheckedConfig = ConfigFile & { faults: readonly ConfigFault[] };

/** The configuration. Each file is read once. */
export class Configuration {
  readonly #files: readonly CheckedConfig[];
  readonly #tools: (() => readonly RegistryEntry[]) | undefined;

  /**
   * Reads the files. With `tools`, names of tools are checked too. Throws `unavailable` for a file
   * that cannot be used or has a misspelled key.
   */
  constructor(place: ConfigPlace, tools?: () => readonly RegistryEntry[]) {
    this.#tools = tools;
    this.#files = configFiles(place).map((path) => {
      const file = readConfigFile(path);
      // Each command tool is checked when it is used, so a call does not pay for the others.
      const { commands, ...others } = file.value;
      const faults = configFaults(isObject(commands) ? others : file.value);
      // Unknown keys may belong to another program, unless they look like a misspelled key.
      refuse(
        path,
        faults.filter(({ path: at, near }) => near !== undefined && !at.includes("/", 1)),
      );
      return { ...file, faults };
    });
  }

  /**
   * The section of each file that has it. The file of the root directory comes first. Throws
   * `unavailable` for an invalid section, and for a section in a file that a call may write under
   * `grants`: that call could choose the permissions of the next one.
   */
  sections(name: SectionName, grants: Grants): ConfigSection[] {
    return this.#files.filter(({ value }) => Object.hasOwn(value, name)).map((file) => {
      const { path, directory, value } = file;
      rejectWritable(path, grants);
      const names = this.#tools === undefined || name === "commands"
        ? []
        : nameFaults(value, this.#tools());
      refuse(
        path,
        [...file.faults, ...names].filter(({ path: at }) =>
          // Each server is checked when it is used, so a wrong one does not affect the others.
          name === "mcpServers" ? at === "/mcpServers" : `${at}/`.startsWith(`/${name}/`)
        ),
      );
      return { path, directory, value: value[name] as Record<string, unknown> };
    });
  }
}

/** Throws what is wrong with a file, if anything is. */
function refuse(path: string, faults: readonly ConfigFault[]): void {
  if (faults.length === 0) return;
  const lines = faults.map(({ path: at, message }) => `${at}: ${message}`);
  const text = lines.join("; ");
  const see = text.endsWith("?") ? " See" : "; see";
  throw unusable(path, `${text}${see} "toolcall config check"`);
}

/**
 * Throws `unavailable` for a file that a call may write. Programs may write it through any link on
 * the way to it. Tools may write it if a symlink leads to a file whose own name is not protected.
 */
export function rejectWritable(path: string, grants: Grants): void {
  const who = programsMayWrite(path, grants)
    ? "programs that a call starts"
    : toolsMayWrite(path, grants)
    ? "tools"
    : undefined;
  if (who === undefined) return;
  const why = `${who} may write to it`;
  throw unusable(path, `${why}; keep it elsewhere and use --config=FILE`);
}
