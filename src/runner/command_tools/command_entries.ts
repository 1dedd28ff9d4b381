import type { RegisteredTool, RegistryEntry } from "../registry/registered_tool.ts";
import type { Registry } from "../registry/registry.ts";
import type { ConfigSection } from "../config/configuration.ts";
import type { Program } from "../program.ts";
import { requiredPrograms } from "./required_programs.ts";

/** The valid names of command tools. */
const NAME = /^(?!mcp__)[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/**
 * Adds the command tools of configuration files to the catalogue. The list is made when a call needs
 * it, and each declaration is checked when it is used. A name that is already used is left out, so a
 * file cannot replace a built-in tool. Earlier sections take precedence.
 */
export function addCommandTools(
  registry: Registry,
  sections: readonly ConfigSection[],
  program: Pick<Program, "commands">,
): void {
  if (sections.length === 0) return;
  registry.registerLater(() => sections.flatMap((section) => commandEntries(section, program)));
}

/** The command tools of a section. Names that no tool can have are left out. */
export function commandEntries(
  { path, directory, value, refusal }: ConfigSection,
  program?: Pick<Program, "commands">,
): RegistryEntry[] {
  return Object.entries(value).filter(([name]) => NAME.test(name)).map(([name, entry]) => {
    let tool: Promise<RegisteredTool> | undefined;
    const source = { name, entry, path, directory, program };
    const load = () =>
      tool ??= import("./command_tool.ts").then(({ commandTool }) => {
        if (refusal !== undefined) throw refusal(name);
        return commandTool(source);
      });
    const metadata = () =>
      load().then((found) => found.metadata, async () => {
        // An invalid tool must not end a listing. A call and `config check` report it.
        return (await import("./command_tool.ts")).hiddenMetadata(name);
      });
    return { name, aliases: [], requires: requiredPrograms(entry), load, metadata };
  });
}
