import type { NatsConnection } from "@nats-io/nats-core";

/** The first version of the server that keeps acknowledged messages when its process is killed. */
const SAFE_VERSION = [2, 10, 23] as const;

/** Returns a warning if the server is too old to keep what it has acknowledged. */
export function versionWarning({ info }: NatsConnection): string | undefined {
  const version = info?.version ?? "0.0.0";
  const parts = version.split(/[.-]/).map(Number);
  for (const [at, least] of SAFE_VERSION.entries()) {
    const part = parts[at] ?? 0;
    if (part > least) return undefined;
    if (part === least) continue;
    return `nats-server ${version} can lose calls when it is killed; use ${
      SAFE_VERSION.join(".")
    } or later`;
  }
  return undefined;
}
