/**
 * The sandbox of programs on macOS: a profile for `sandbox-exec -p PROFILE`, in the kernel's
 * language of profiles (SBPL version 1). It was written from the measurements of others and was
 * never run, for lack of a Mac.
 */

import { lookupTable } from "../../../base/lookup_table.ts";
import { quote } from "../../../base/text/quote.ts";
import type { FileRights } from "../linux/landlock.ts";
import {
  type BaseRights,
  networkFor,
  type NetworkPlan,
  programRights,
} from "../policy/program_rights.ts";

/** The longest path that macOS takes, in bytes (`PATH_MAX`, its last byte 0). */
const MAX_PATH = 1023;

/**
 * The rules under any flags. `default` does not cover `process-info*`: allowed, it shows other
 * processes' environments. Nor does it cover links and clones on every version, and a hard link is
 * another path to the same file. The loader reads the names in the root directory before any
 * program starts.
 */
const ALWAYS = [
  "(version 1)",
  "(deny default)",
  "(deny process-info*)",
  "(deny file-link file-clone)",
  "(allow process-fork)",
  "(allow process-info* (target same-sandbox))",
  "(allow signal (target same-sandbox))",
  "(allow sysctl-read)",
  "(allow file-read-metadata file-test-existence)",
  '(allow file-read-data (literal "/"))',
];

/** Services of the system that a program may ask for. */
const SERVICES = [
  "com.apple.system.opendirectoryd.libinfo", // who a user is: getpwuid, which shells and git start with
];

/** Services that a program with a network may ask for besides. */
const NETWORK_SERVICES = [
  "com.apple.SystemConfiguration.DNSConfiguration", // which servers resolve names
  "com.apple.trustd.agent", // whether a certificate is trusted
];

/** The socket of the service that resolves names; no other Unix socket is open. */
const RESOLVER = '(literal "/private/var/run/mDNSResponder")';

/** The network access of a call's programs, and the command that starts each of them confined. */
export function seatbeltSandbox(
  options: Parameters<typeof programRights>[0],
): { plan: NetworkPlan; command(command: string[]): string[] } {
  const plan = networkFor(options.grants, Infinity);
  const { files, system } = programRights(options, macBaseRights);
  // This sandbox compares paths and not files, so the system's paths are like any other.
  const both = (name: keyof FileRights) => [...files[name] ?? [], ...system[name] ?? []];
  const profile = seatbeltProfile({
    read: [...both("read"), ...both("file")],
    list: both("list"),
    write: both("write"),
    execute: both("execute"),
    device: both("device"),
  }, plan);
  return { plan, command: (command) => ["/usr/bin/sandbox-exec", "-p", profile, ...command] };
}

/**
 * Returns the profile that allows only `rights` and `plan`. If programs have the whole network, it
 * also allows the resolver's Unix socket. A path covers everything in it. Every path must be real,
 * because the kernel compares real paths. Throws a `TypeError` for a path that is not absolute and
 * normal, or that the language cannot express.
 *
 * @example
 * ```ts
 * const rights = { read: ["/private/in"], list: [], write: [], execute: [], device: [] };
 * const profile = seatbeltProfile(rights, { network: "none", ports: [] });
 * console.assert(profile.includes('(allow file-read*\n  (subpath "/private/in"))'));
 * ```
 */
export function seatbeltProfile(
  { read, list, write, execute, device }: FileRights,
  plan: NetworkPlan,
): string {
  const services = plan.network === "all" ? [...SERVICES, ...NETWORK_SERVICES] : SERVICES;
  return [
    ...ALWAYS,
    ...allow("mach-lookup", services.map((name) => `(global-name ${text(name)})`)),
    // With the star also as the interpreter of a script.
    ...allow("process-exec*", paths("subpath", execute)),
    ...allow("file-read*", paths("subpath", read)),
    ...allow("file-read-data", paths("literal", list)),
    ...allow("file-write*", paths("subpath", write)),
    // The filter is the file that gets another name, and it must be writable anyway.
    ...allow("file-link", paths("subpath", write)),
    ...allow("file-read* file-write-data file-ioctl", paths("subpath", device)),
    ...networkRules(plan),
  ].join("\n") + "\n";
}

/** The language knows no hosts but `*` and `localhost`, as Landlock knows none. */
function networkRules({ network, ports }: NetworkPlan): string[] {
  if (network === "none") return [];
  if (network === "ports") {
    const each = [...new Set(ports)].map((port) => `(remote tcp "*:${port}")`);
    return allow("network-outbound", each);
  }
  const any = (side: "remote" | "local") => ["tcp", "udp"].map((kind) => `(${side} ${kind} "*:*")`);
  return [
    ...allow("network-outbound", [...any("remote"), RESOLVER]),
    ...allow("network-bind", any("local")),
    ...allow("network-inbound", any("local")),
  ];
}

/** A rule for each of the filters. Without one there is no rule: it would allow everything. */
function allow(operations: string, filters: readonly string[]): string[] {
  return filters.length === 0 ? [] : [`(allow ${operations}\n  ${filters.join("\n  ")})`];
}

function paths(filter: "literal" | "subpath", list: readonly string[]): string[] {
  return [...new Set(list)].map((path) => `(${filter} ${text(checked(path))})`);
}

function checked(path: string): string {
  const names = path === "/" ? [] : path.split("/").slice(1);
  const isNormal = path.startsWith("/") &&
    names.every((name) => name !== "" && name !== "." && name !== "..");
  // U+FFFD replaces bytes that are no UTF-8, and another file may have that very name.
  const isText = path.isWellFormed() && !/[\0\ufffd]/.test(path) &&
    new TextEncoder().encode(path).length <= MAX_PATH;
  if (isNormal && isText) return path;
  throw new TypeError(
    `Cannot name ${quote(path)} in a sandbox profile: needs an absolute path, ` +
      `without "." and "..", of at most ${MAX_PATH} bytes of UTF-8`,
  );
}

const ESCAPES = lookupTable<string>({
  "\\": "\\\\",
  '"': '\\"',
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
});

/** A string of the language. Every other character means itself, byte by byte. */
function text(value: string): string {
  return `"${value.replace(/[\\"\n\r\t]/g, (character) => ESCAPES[character]!)}"`;
}

const MAC_LIBRARIES = ["/usr/lib", "/usr/libexec", "/Library/Developer/CommandLineTools"];

/**
 * The system paths that every program on macOS may use if `--allow-run` lets it start: the loader
 * and its cache, libraries, frameworks, the developer's tools behind `git` and `make`, time zones,
 * certificates, the resolver's files, and devices that store nothing. They are real paths, and some
 * may be missing. All belong to the system.
 */
export const macBaseRights: BaseRights = {
  read: [
    ...MAC_LIBRARIES,
    "/usr/share",
    "/System/Library",
    ...["/System/Cryptexes", "/System/Volumes/Preboot/Cryptexes"], // the loader's cache from macOS 13 on
    ...["/private/var/db/dyld", "/private/var/db/timezone", "/private/var/select"], // before it; zones; which shell is sh
    ...["/Library/Apple/usr", "/Library/Apple/System/Library"], // programs for the other processor
    ...[
      ...["hosts", "resolv.conf", "services", "protocols", "localtime", "shells", "paths"],
      ...["paths.d", "ssl", "gitconfig"],
    ].map((name) => `/private/etc/${name}`),
    "/private/var/run/resolv.conf",
    ...["/dev/random", "/dev/urandom"],
  ],
  file: [],
  execute: MAC_LIBRARIES,
  device: ["/dev/null", "/dev/zero", "/dev/fd"],
};
