import { readVariable } from "../../base/environment.ts";
import { CallError } from "../../base/errors.ts";
import { editConfig, readConfigured } from "../config/edit_config.ts";
import type { ConfigPlace } from "../config/config_files.ts";
import { quote } from "../../base/text/quote.ts";
import type { ConfigEdit, ConfiguredValue, Json } from "../registry/services.ts";
import { isUnrestricted } from "../sandbox/policy/grants.ts";
import type { CallOptions } from "./call.ts";

/** Returns the value at a JSON pointer in each configuration file. Throws {@link CallError}. */
export function configured(pointer: string, options: CallOptions): ConfiguredValue[] {
  return readConfigured(pointer, placeOf(options));
}

/**
 * Sets the value at a JSON pointer of the configuration. Throws `permission_denied` unless the call
 * has all permissions, because the configuration grants permissions to later calls.
 */
export async function configure(
  pointer: string,
  value: Json | undefined,
  options: CallOptions,
): Promise<ConfigEdit> {
  if (!isUnrestricted(options.grants)) {
    throw new CallError(
      "permission_denied",
      `Cannot set ${quote(pointer)}: the configuration decides what later calls may do; this ` +
        `needs --allow-all without deny flags`,
      { setting: pointer.slice(0, 200) },
    );
  }
  const tools = options.registry.declared();
  return await editConfig({ pointer, value }, { place: placeOf(options), tools });
}

function placeOf({ grants, cwd }: CallOptions): ConfigPlace {
  return {
    root: cwd,
    ...(grants.config !== undefined && { file: grants.config }),
    variable: readVariable,
  };
}
