import type { FileRights } from "./landlock.ts";

/** What a program loads itself from, and what such programs start as their own parts. */
const LIBRARIES: readonly string[] = [
  ...["/lib", "/lib64"],
  ...["lib", "lib64", "libexec"].flatMap((name) => [`/usr/${name}`, `/usr/local/${name}`]),
];

/** What programs read to start and to work: of the system's, and nothing of the user's. */
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
 * What every program may use that `--allow-run` lets start: libraries, locale,
 * time zone, certificates, the resolver's files, devices that hold nothing. Not
 * all of it is there, and some of it are links to where it is.
 */
export const baseRights: Required<Omit<FileRights, "list" | "write">> = {
  read: [...LIBRARIES, ...FOLDERS],
  file: FILES,
  execute: LIBRARIES,
  device: ["/dev/null", "/dev/zero", "/dev/full"],
};

/** The system's interpreters with settings of their own. */
const LANGUAGES = /^(java|perl|php|python|ruby)/;
const STARTS_ONE = /^(ant|gradle|java|mvn|perl|php|pip|python|ruby)/;

/** The folders of settings of the interpreters among these programs, or of all without a list. */
export function languageSettings(programs?: readonly string[]): string[] {
  if (programs?.some((name) => STARTS_ONE.test(name)) === false) return [];
  try {
    return [...Deno.readDirSync("/etc")].filter(({ name }) => LANGUAGES.test(name))
      .map(({ name }) => `/etc/${name}`);
  } catch {
    return [];
  }
}
