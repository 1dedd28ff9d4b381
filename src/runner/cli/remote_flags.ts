/** Reads the flags for NATS. */

import { pathRules } from "../../base/fs/path_rules.ts";
import { UsageError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import type { NatsAddress } from "../remote/connection.ts";
import type { Grants } from "../sandbox/policy/grants.ts";
import type { CommandLine } from "./command.ts";
import { flagArguments } from "./flag_arguments.ts";

/** The flags that need `--nats`. */
const NATS_FLAGS = [
  ...["nats-creds", "nats-nkey", "tls-ca", "tls-cert", "tls-key", "pool", "batch", "attach"],
  ...["cancel", "durable", "deadline", "workspace"],
];

/** The port of NATS, if a URL has none. */
const NATS_PORT = "4222";

/** Throws {@link UsageError} for a flag that has no effect without `--nats`. */
export function refuseNatsFlags({ options }: CommandLine): void {
  const flag = NATS_FLAGS.find((each) => options.has(each));
  if (flag !== undefined) throw new UsageError(`The flag --${flag} needs --nats=URL`);
}

/** Throws {@link UsageError} for durable calls in a workspace. */
export function refuseDurableWorkspace({ options }: CommandLine): void {
  if (!options.has("durable") || !options.has("workspace")) return;
  throw new UsageError(
    "Use --durable or --workspace, and not both: every worker can run a durable call, and a " +
      "workspace is on one of them",
  );
}

/** The address in the flags. Throws {@link UsageError}. */
export function natsAddress({ options }: CommandLine): NatsAddress {
  const given = options.get("nats");
  if (given === undefined) throw new UsageError("Missing flag: --nats=URL");
  const file = (name: string) => {
    const path = options.get(name);
    return path === undefined ? undefined : pathRules.resolve(Deno.cwd(), path);
  };
  const [creds, nkey] = [file("nats-creds"), file("nats-nkey")];
  if (creds !== undefined && nkey !== undefined) {
    throw new UsageError("Use --nats-creds or --nats-nkey, and not both");
  }
  const [ca, cert, key] = [file("tls-ca"), file("tls-cert"), file("tls-key")];
  const servers = given.split(",").map(serverUrl);
  const isTls = servers.some((each) => each.startsWith("tls:"));
  return {
    servers,
    ...(creds !== undefined && { creds }),
    ...(nkey !== undefined && { nkey }),
    ...((isTls || ca !== undefined || cert !== undefined || key !== undefined) && {
      tls: { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) },
    }),
  };
}

function serverUrl(given: string): string {
  const fail = (why: string) => new UsageError(`Invalid --nats=${quote(given, 200)}: ${why}`);
  const url = URL.parse(given.includes("://") ? given : `nats://${given}`);
  if (url === null || url.hostname === "") throw fail("expected a URL such as nats://host:4222");
  if (url.username !== "" || url.password !== "") {
    throw new UsageError(
      "The URL in --nats has a user name or password, which other programs on this machine could " +
        "read; use --nats-creds=FILE or --nats-nkey=FILE",
    );
  }
  if (url.protocol !== "nats:" && url.protocol !== "tls:") {
    throw fail("expected nats://HOST:PORT or tls://HOST:PORT");
  }
  return `${url.protocol}//${url.hostname}:${url.port || NATS_PORT}`;
}

/** The pool in the flags, by default `default`. Throws {@link UsageError}. */
export function poolOf({ options }: CommandLine): string {
  return tokenOf("pool", options.get("pool") ?? "default");
}

/** A value that becomes a part of a subject. Throws {@link UsageError}. */
export function tokenOf(flag: string, value: string): string {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(value)) return value;
  const why = "expected at most 64 letters, digits, _ and -";
  throw new UsageError(`Invalid --${flag}=${quote(value, 100)}: ${why}`);
}

/**
 * Adds the files with secrets and the addresses of NATS to the denials. No tool can read the
 * worker's credentials, and no tool can call other tools past the worker's flags. `hosts` are the
 * addresses of the servers, as `HOST:PORT`.
 */
export function protectNats(
  grants: Grants,
  { creds, nkey, tls }: NatsAddress,
  hosts: readonly string[],
): Grants {
  const secrets = [creds, nkey, tls?.key].flatMap((path) =>
    path === undefined ? [] : [path, Deno.realPathSync(path)]
  );
  const { read, write, net } = grants.deny;
  const add = (scope: typeof read, more: readonly string[]) =>
    scope === true || more.length === 0 ? scope : [...new Set([...scope ?? [], ...more])];
  const [deniedRead, deniedWrite] = [add(read, secrets), add(write, secrets)];
  return {
    ...grants,
    deny: {
      ...grants.deny,
      ...(deniedRead !== undefined && { read: deniedRead }),
      ...(deniedWrite !== undefined && { write: deniedWrite }),
      net: add(net, hosts) ?? [],
    },
  };
}

/**
 * The permission flags of a command line, for the worker to restrict the call by. Undefined if there
 * are none. Relative paths are the worker's.
 */
export function narrowFlags({ grants }: CommandLine): string[] | undefined {
  const { allow, deny } = grants;
  const hasAny = Object.keys(allow).length > 0 || Object.keys(deny).length > 0;
  return hasAny ? flagArguments(grants, new Map()) : undefined;
}
