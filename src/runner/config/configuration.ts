import { isObject } from "../../base/json/is_object.ts";
import type { RegistryEntry } from "../registry/registered_tool.ts";
import type { CallError } from "../../base/errors.ts";
import { quote, quotePath } from "../../base/text/quote.ts";
import type { Grants } from "../sandbox/policy/grants.ts";
import { programsMayWrite, toolsMayWrite } from "../sandbox/policy/may_write.ts";
import { realPathIfAny } from "../sandbox/policy/paths.ts";
import type { Scope } from "../sandbox/policy/scope.ts";
import { type ConfigFile, readConfigFile, unusable } from "./config_file.ts";
import { type ConfigFault, configFaults } from "./config_faults.ts";
import { configFiles, type ConfigPlace } from "./config_files.ts";
import { nameFaults } from "./name_faults.ts";
import { foreignFile, isGranting, isTrusted, notTrusted } from "./trust.ts";

/** A top-level section of one configuration file: its `value` is that of the section. */
export interface ConfigSection extends Omit<ConfigFile, "text"> {
  /**
   * Makes the error of an entry if no entry of this section counts, because the user does not trust the
   * file. Whoever uses an entry throws it.
   */
  refusal?: (name: string) => CallError;
}

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
  readonly #place: ConfigPlace;
  readonly #trusted = new Map<string, boolean>();

  /**
   * Reads the files. With `tools`, names of tools are checked too. Throws `unavailable` for a file
   * that cannot be used or has a misspelled key.
   */
  constructor(place: ConfigPlace, tools?: () => readonly RegistryEntry[]) {
    this.#tools = tools;
    this.#place = place;
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
   * The section of each file that has it. The file of the root directory comes first. A section that
   * grants something or starts a program has a `refusal` while the user does not trust the file of the
   * root directory. Throws `unavailable` for an invalid section, and for a file that a call may write
   * under `grants`, unless the user trusts its text: that call could choose the permissions of the next
   * one.
   */
  sections(name: SectionName, grants: Grants): ConfigSection[] {
    return this.#files.filter(({ value }) => Object.hasOwn(value, name)).map((file) => {
      const { path, directory, value } = file;
      const refusal = this.check(file, name, grants);
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
      const section = { path, directory, value: value[name] as Record<string, unknown> };
      return { ...section, ...(refusal && { refusal }) };
    });
  }

  /** Whether the user trusts the text of a file. Each file is looked up once. */
  #isTrusted(file: ConfigFile): boolean {
    return this.#trusted.getOrInsertComputed(file.path, () => isTrusted(file, this.#place));
  }

  /** A message for each file with such sections that the user does not trust. */
  untrusted(names: readonly SectionName[]): string[] {
    return this.#files.flatMap((file) => {
      const { path, value } = file;
      const found = names.filter((name) => Object.hasOwn(value, name));
      if (path !== foreignFile(this.#place) || found.length === 0) return [];
      return this.#isTrusted(file) ? [] : [ignored(path, found)];
    });
  }

  /**
   * Decides whether a section of a file counts under these grants. Returns its `refusal`, if it does
   * not. Throws `unavailable` for a file that a call may write.
   */
  check(
    { path }: Pick<ConfigSection, "path">,
    section: SectionName,
    grants: Grants,
  ): ConfigSection["refusal"] {
    const isForeign = path === foreignFile(this.#place);
    const isOpen = isForeign && isGranting(section);
    // Programs and tools are kept from a file of this name in the directory where calls run.
    const isKept = isForeign && realPathIfAny(path) === path &&
      !namesPath(path, grants.allow.write);
    const writer = isOpen || isKept ? undefined : writerOf(path, grants);
    if (!isOpen && writer === undefined) return undefined;
    const file = this.#files.find((each) => each.path === path)!;
    if (this.#isTrusted(file)) return undefined;
    if (writer !== undefined) throw writableFile(path, writer);
    return (name) => notTrusted(file, { section, name });
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
  const writer = writerOf(path, grants);
  if (writer !== undefined) throw writableFile(path, writer);
}

/** Who may write a file, in words: programs or tools. */
function writerOf(path: string, grants: Grants): string | undefined {
  if (programsMayWrite(path, grants)) return "programs that a call starts";
  return toolsMayWrite(path, grants) ? "tools" : undefined;
}

function ignored(path: string, sections: readonly string[]): string {
  const what = sections.map((each) => quote(each)).join(", ");
  const file = quotePath(path);
  return `${what} of ${file} do not count, because you have not trusted this file. To see what they ` +
    `do, and to trust it: toolcall config trust ${file}`;
}

function namesPath(path: string, scope: Scope | undefined): boolean {
  return Array.isArray(scope) && scope.includes(path);
}

function writableFile(path: string, writer: string): CallError {
  const trust = `toolcall config trust ${quotePath(path)}`;
  return unusable(path, `${writer} may write to it; if you wrote what it says now: ${trust}`);
}
