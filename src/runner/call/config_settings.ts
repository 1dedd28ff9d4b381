import { CallError } from "../../base/errors.ts";
import { editConfig, readConfigured } from "../config/edit_config.ts";
import type { ConfigPlace } from "../config/config_files.ts";
import { quote } from "../../base/text/quote.ts";
import type { ConfigEdit, ConfiguredValue, Json } from "../registry/services.ts";
import { isUnrestricted } from "../sandbox/policy/grants.ts";
import type { CallOptions } from "./call.ts";

type Needed = Pick<CallOptions, "grants" | "cwd" | "registry">;

/** What each file of the configuration says at a JSON pointer. Throws as its reader does. */
export function configured(pointer: string, settings: Needed): ConfiguredValue[] {
  return readConfigured(pointer, placeOf(settings));
}

/**
 * Sets what a JSON pointer leads to. Throws `permission_denied` but for calls that may do
 * everything: it decides what later calls may do.
 */
export async function configure(
  pointer: string,
  value: Json | undefined,
  settings: Needed,
): Promise<ConfigEdit> {
  if (!isUnrestricted(settings.grants)) {
    throw new CallError(
      "permission_denied",
      `Cannot set ${quote(pointer)}: the configuration decides what later calls may do; ` +
        "needs --allow-all, and no deny flag",
      { setting: pointer.slice(0, 200) },
    );
  }
  const tools = settings.registry.all();
  return await editConfig({ pointer, value }, { place: placeOf(settings), tools });
}

function placeOf({ grants, cwd }: Needed): ConfigPlace {
  return {
    root: cwd,
    ...(grants.config !== undefined && { file: grants.config }),
    variable: (name) => Deno.env.get(name),
  };
}
