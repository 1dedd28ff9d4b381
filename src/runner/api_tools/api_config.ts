import { isObject } from "../../base/json/is_object.ts";
import { pointerOf } from "../../base/json/json_pointer.ts";
import { webUrl } from "../../base/host.ts";
import type { ConfigFault } from "../config/config_faults.ts";

/** An API in a configuration file, valid by its JSON Schema. */
export interface ApiConfig {
  /** The OpenAPI document as JSON, relative to the configuration file. */
  document: string;
  /** The base URL of every request. */
  server: string;
  /** The environment variable with the credential of each security scheme. */
  credentials?: Readonly<Record<string, string>>;
  /** The operation of each tool, as `GET /pets/{id}`. */
  tools: Readonly<Record<string, string>>;
  /** The time limit of a call, in milliseconds. */
  timeoutMs?: number;
}

/** The errors in APIs that the schema of the configuration cannot find. */
export function apiFaults(name: string, entry: unknown): ConfigFault[] {
  if (!isObject(entry) || typeof entry["server"] !== "string") return [];
  const url = webUrl(entry["server"]);
  const path = pointerOf(["apis", name, "server"]);
  if (url === undefined) return [{ path, message: "must be an http or https URL" }];
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    const message = "must have no user name, password, query or fragment";
    return [{ path, message }];
  }
  return [];
}
