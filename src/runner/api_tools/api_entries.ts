import { pathRules } from "../../base/fs/path_rules.ts";
import { isObject } from "../../base/json/is_object.ts";
import type { ConfigSection } from "../config/configuration.ts";
import { rejectWritable } from "../config/configuration.ts";
import type { RegisteredTool, RegistryEntry } from "../registry/registered_tool.ts";
import type { Registry } from "../registry/registry.ts";
import type { Grants } from "../sandbox/policy/grants.ts";
import type { ApiConfig } from "./api_config.ts";

/**
 * Adds the tools of the APIs of configuration files to the catalogue. A document is read when one of
 * its tools is used. A name that is already used is omitted. Earlier sections take precedence.
 */
export function addApiTools(
  registry: Registry,
  sections: readonly ConfigSection[],
  grants: Grants,
): void {
  if (sections.length === 0) return;
  registry.registerLater(() => sections.flatMap((section) => apiEntries(section, grants)));
}

/** The tools of a section. `grants` must not let a call write a document. */
export function apiEntries(
  { directory, value, refusal }: Omit<ConfigSection, "path">,
  grants?: Grants,
): RegistryEntry[] {
  return Object.entries(value as Record<string, ApiConfig>).flatMap(([api, config]) => {
    if (!isObject(config) || !isObject(config.tools)) return [];
    return Object.entries(config.tools).map(([name, operation]): RegistryEntry => {
      let tool: Promise<RegisteredTool> | undefined;
      const load = () =>
        tool ??= import("./api_tool.ts").then(({ apiTool }) => {
          if (refusal !== undefined) throw refusal(api);
          const document = pathRules.resolve(directory, config.document);
          if (grants !== undefined) rejectWritable(document, grants);
          return apiTool({ name, api, operation, document, config });
        });
      const metadata = () =>
        load().then((found) => found.metadata, async () => {
          // An unusable document must not end a listing. A call and `config check` report it.
          return (await import("./api_tool.ts")).hiddenApiMetadata(name);
        });
      return { name, aliases: [], load, metadata };
    });
  });
}
