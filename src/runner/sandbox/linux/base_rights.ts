import type { FileRights } from "./landlock.ts";
import { realPaths } from "../policy/paths.ts";
import type { Scope } from "../policy/scope.ts";
import { trustedPaths } from "../policy/trust.ts";

/** The system paths that every program may use. */
export type BaseRights = Required<Pick<FileRights, "read" | "file" | "execute" | "device">>;

/** The libraries that programs load, and the helpers that system programs start. */
const LIBRARIES: readonly string[] = [
  ...["/lib", "/lib64"],
  ...["lib", "lib64", "libexec"].flatMap((name) => [`/usr/${name}`, `/usr/local/${name}`]),
];

/** The system files, and none of the user's, that programs read to start and to work. */
const FOLDERS: readonly string[] = [
  ...["share", "include", "local/share", "local/include"].map((name) => `/usr/${name}`),
  ...["ssl/certs", "ca-certificates", "pki", "crypto-policies"].map((name) => `/etc/${name}`),
];
const FILES: readonly string[] = [
  ...[
    ...["ld.so.cache", "ld.so.preload", "locale.alias", "localtime", "timezone", "os-release"],
    ...["resolv.conf", "hosts", "host.conf", "services", "protocols", "gitconfig", "mime.types"],
    "ssl/openssl.cnf",
  ].map((name) => `/etc/${name}`),
  ...["cpuinfo", "meminfo", "stat", "version", "filesystems", "sys/vm/overcommit_memory"]
    .map((name) => `/proc/${name}`),
  ...["/sys/devices/system/cpu/online", "/dev/random", "/dev/urandom"],
];

/**
 * The system paths that every program may use if `--allow-run` lets it start: libraries, locale,
 * time zone, certificates, the resolver's files, and devices that store nothing. Some of them may
 * be missing, and some are links.
 */
export const baseRights: BaseRights = {
  read: [...LIBRARIES, ...FOLDERS],
  file: FILES,
  execute: LIBRARIES,
  device: ["/dev/null", "/dev/zero", "/dev/full"],
};

/** The interpreters by the beginnings of their names, and their settings in the system. */
const LANGUAGES: readonly [programs: RegExp, settings: RegExp][] = [
  [/^(ant|gradle|java|mvn)/, /^java/],
  [/^perl/, /^perl/],
  [/^php/, /^php/],
  [/^(pip|python)/, /^python/],
  [/^(gem|ruby)/, /^ruby/],
];

/**
 * The real paths of the settings in /etc of the interpreters among these programs, or of all
 * without a list. A path that is not trusted, because a call could have written it, is left out.
 */
export function languageSettings(
  writable: Scope | undefined,
  programs?: readonly string[],
): string[] {
  const wanted = LANGUAGES.filter(([starts]) =>
    programs?.some((name) => starts.test(name)) ?? true
  );
  if (wanted.length === 0) return [];
  try {
    const names = [...Deno.readDirSync("/etc")].map(({ name }) => name)
      .filter((name) => wanted.some(([, settings]) => settings.test(name)));
    return realPaths(trustedPaths(names.map((name) => `/etc/${name}`), writable));
  } catch {
    return [];
  }
}
