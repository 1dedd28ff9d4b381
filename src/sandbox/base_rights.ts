import type { FileRights } from "./landlock.ts";

/** What a program loads itself from, and what such programs start as their own parts. */
const LIBRARIES: readonly string[] = [
  ...["/lib", "/lib64"],
  ...["lib", "lib32", "lib64", "libx32", "libexec"].map((name) => `/usr/${name}`),
  ...["lib", "lib64", "libexec"].map((name) => `/usr/local/${name}`),
];

/** What programs read to start and to work: of the system's, and nothing of the user's. */
const READ: readonly string[] = [
  ...["share", "include", "local/share", "local/include"].map((name) => `/usr/${name}`),
  ...[
    ...["ld.so.cache", "ld.so.conf", "ld.so.conf.d", "ld.so.preload"], // the loader
    ...["locale.alias", "locale.conf", "localtime", "timezone"],
    ...[
      "ssl/certs",
      "ssl/cert.pem",
      "ssl/openssl.cnf",
      "ca-certificates",
      "pki",
      "crypto-policies",
    ],
    ...["resolv.conf", "hosts", "host.conf", "gai.conf", "services", "protocols"],
    ...["gitconfig", "magic", "mime.types", "terminfo", "inputrc", "os-release", "lsb-release"],
    // Settings of the system's own interpreters; those of Python's by the version.
    ...["perl", "python3", "java", "php", "ruby"],
    ...[9, 10, 11, 12, 13, 14, 15].map((version) => `python3.${version}`),
  ].map((name) => `/etc/${name}`),
  ...["cpuinfo", "meminfo", "stat", "version", "filesystems", "loadavg", "uptime"]
    .map((name) => `/proc/${name}`),
  ...["/proc/sys/vm/overcommit_memory", "/proc/sys/kernel/osrelease"],
  ...["online", "possible"].map((name) => `/sys/devices/system/cpu/${name}`),
  ...["/sys/kernel/mm/transparent_hugepage", "/dev/random", "/dev/urandom"],
];

/**
 * What every program may use that `--allow-run` lets start: libraries, locale,
 * time zone, certificates, the resolver's files, devices that hold nothing. Not
 * all of it is there, and some of it are links to where it is.
 */
export const baseRights: Pick<FileRights, "read" | "execute" | "device"> = {
  read: [...LIBRARIES, ...READ],
  execute: LIBRARIES,
  device: ["/dev/null", "/dev/zero", "/dev/full"],
};
