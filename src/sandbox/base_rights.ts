import type { FileRights } from "./landlock.ts";

/** What a program loads itself from, and what such programs start as their own parts. */
const LIBRARIES = [
  "/usr/lib",
  "/usr/lib32",
  "/usr/lib64",
  "/usr/libx32",
  "/usr/libexec",
  "/usr/local/lib",
  "/usr/local/lib64",
  "/usr/local/libexec",
  "/lib",
  "/lib64",
];

/** What programs read to start and to work, of the system's and nothing of the user's. */
const READ = [
  "/usr/share",
  "/usr/include",
  "/usr/local/share",
  "/usr/local/include",
  ...[
    ...["ld.so.cache", "ld.so.conf", "ld.so.conf.d", "ld.so.preload"], // the loader
    ...["locale.alias", "locale.conf", "default/locale", "localtime", "timezone"],
    ...["ssl/certs", "ssl/cert.pem", "ssl/openssl.cnf", "pki/tls/certs", "pki/tls/cert.pem"],
    ...["pki/tls/openssl.cnf", "pki/ca-trust/extracted", "ca-certificates/extracted"],
    ...["crypto-policies", "resolv.conf", "hosts", "host.conf", "nsswitch.conf", "gai.conf"],
    ...["services", "protocols", "gitconfig", "npmrc", "magic", "mime.types", "terminfo"],
    ...["inputrc", "papersize", "debian_version", "os-release", "lsb-release"],
  ].map((name) => `/etc/${name}`),
  ...["cpuinfo", "meminfo", "stat", "version", "filesystems", "loadavg", "uptime"]
    .map((name) => `/proc/${name}`),
  "/proc/sys/vm/overcommit_memory",
  "/proc/sys/kernel/osrelease",
  "/sys/devices/system/cpu/online",
  "/sys/devices/system/cpu/possible",
  "/sys/kernel/mm/transparent_hugepage",
  "/dev/random",
  "/dev/urandom",
];

/** Devices that hold nothing. */
const DEVICES = ["/dev/null", "/dev/zero", "/dev/full"];

/**
 * What every program may use that `--allow-run` lets start: libraries, locale,
 * time zone, certificates, the resolver's files, devices that hold nothing; of
 * this what is there, by its real path.
 */
export function baseRights(): Pick<FileRights, "read" | "execute" | "device"> {
  const libraries = real(LIBRARIES);
  return {
    read: [...libraries, ...real([...READ, ...languages()])],
    execute: libraries,
    device: real(DEVICES),
  };
}

/** The folders of settings that belong to the system's own interpreters. */
function languages(): string[] {
  try {
    return [...Deno.readDirSync("/etc")]
      .filter(({ name }) => /^(python|perl|java|php|ruby|node)[\d.-]*/.test(name))
      .map(({ name }) => `/etc/${name}`);
  } catch {
    return [];
  }
}

function real(paths: readonly string[]): string[] {
  return [
    ...new Set(paths.flatMap((path) => {
      try {
        return [Deno.realPathSync(path)];
      } catch {
        return [];
      }
    })),
  ];
}
