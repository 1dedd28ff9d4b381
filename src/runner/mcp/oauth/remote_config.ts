import type { CapabilitySetup } from "../../capability/capability.ts";
import type { RemoteServer, ServerConfig } from "../client/server_config.ts";

/** The configuration of a server at an address. */
export type RemoteConfig = ServerConfig & { place: RemoteServer };

/** The call's options that concern tokens, and the directory of the configuration. */
export type TokenSetup =
  & Pick<CapabilitySetup, "grants" | "stateDir" | "config">
  & { directory: string };

/** Whether a server is at an address. */
export function isRemote(server: ServerConfig): server is RemoteConfig {
  return server.place.type !== "stdio";
}

/** An address without its query, user and password, which may be secret. */
export function shownUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
