/** The rights of programs under the flags: the files that they may use, and their network. */

import { basename } from "@std/path/posix/basename";
import { dirname } from "@std/path/posix/dirname";
import { type FileRights, since } from "../linux/landlock.ts";
import type { ProgramNetwork } from "../linux/seccomp.ts";
import { auditLogs } from "./closed_paths.ts";
import type { Grants } from "./grants.ts";
import { entriesOf, expandExcept } from "./openings.ts";
import {
  isDirectory,
  isInside,
  isKernelPath,
  kernelDirectories,
  realPaths,
  trustedPaths,
  untrustedLink,
  untrustedStep,
} from "./paths.ts";
import {
  filesOf,
  findProgram,
  findPrograms,
  type FoundProgram,
  librariesBeside,
  programDirectories,
} from "./programs.ts";
import type { Scope } from "./scope.ts";

/** The system paths that every program may use. */
export type BaseRights = Required<Pick<FileRights, "read" | "file" | "execute" | "device">>;

/** The libraries that programs load, and the helpers that system programs start. */
const LIBRARIES: readonly string[] = [
  ...["/lib", "/lib64"],
  ...["lib", "lib64", "libexec"].flatMap((name) => [`/usr/${name}`, `/usr/local/${name}`]),
];

/** The system files, and none of the user's, that programs read to start and to work. */
const DIRECTORIES: readonly string[] = [
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
const baseRights: BaseRights = {
  read: [...LIBRARIES, ...DIRECTORIES],
  file: FILES,
  execute: LIBRARIES,
  device: ["/dev/null", "/dev/zero", "/dev/full"],
};

/**
 * The configuration of name services. Without network it stays closed, because it would send
 * programs past /etc/passwd to services that are out of reach.
 */
const NAME_SERVICES = "/etc/nsswitch.conf";

/** The interpreters by the beginnings of their names, and their settings in the system. */
const LANGUAGES: readonly [programs: RegExp, settings: RegExp][] = [
  [/^(ant|gradle|java|mvn)/, /^java/],
  [/^perl/, /^perl/],
  [/^php/, /^php/],
  [/^(pip|python)/, /^python/],
  [/^(gem|ruby)/, /^ruby/],
];

/**
 * The file rights of programs under the flags: of the files of the flags and of the named programs,
 * by real paths, and of every program's system paths, which may be links and may be missing.
 * `temporary` is the call's own directory, which may be read and written, and `programDirectory`
 * has the program's own modules, which may be read.
 */
export function programRights(
  { grants, programDirectory, temporary }: {
    grants: Grants;
    programDirectory: string;
    temporary: string;
  },
  base: BaseRights = baseRights,
): { files: FileRights; system: Partial<FileRights> } {
  const scope = (kind: "read" | "write"): Scope => grants.all || (grants.allow[kind] ?? []);
  const denied = (kind: "read" | "write") => directoriesOf(grants.deny[kind] ?? []);
  const inKernel = grants.all ? [] : kernelDirectories;
  // `-A` with a deny flag allows devices, but never writing /proc and /sys: that could lift the
  // deny.
  const settings = ["/proc", "/sys"];
  const own = [
    ...auditLogs(grants),
    ...(grants.state === undefined ? [] : realPaths([grants.state])),
  ];
  const read = expandExcept(directoriesOf(scope("read")), [...denied("read"), ...own, ...inKernel]);
  const write = expandExcept(
    directoriesOf(scope("write")),
    // A path that may not be read must not be moved to a readable one.
    [
      ...denied("write"),
      ...denied("read"),
      ...auditLogs(grants),
      ...grants.own ?? [],
      ...inKernel,
      ...settings,
    ],
  );
  const programs = programFiles(grants, temporary);
  const system = systemRights(grants, base);
  const names = grants.all || grants.allow.net !== undefined ? [NAME_SERVICES] : [];
  const resolver = realPaths(trustedPaths(names, grants.allow.write));
  // The files that programs need are open only as far as no flag denies them.
  const needed = expandExcept(
    [...programs.read, ...system.shared.read, ...resolver],
    denied("read"),
  );
  return {
    files: {
      read: [...read.open, ...needed.open, temporary, programDirectory],
      // Listing a directory lists everything below it. So directories that contain a closed one are
      // left out.
      list: [...read.listed, ...needed.listed].filter((directory) =>
        !denied("read").some((path) => isInside(path, directory) && isDirectory(path))
      ),
      write: [...write.open, temporary],
      execute: [...programs.execute, ...system.shared.execute],
      device: [],
    },
    system: system.whole,
  };
}

/**
 * The system paths that are open to every program. If a flag denies reading a part, or a call can
 * write it, only the parts around it are open. The target of a link that a call could have made is
 * not opened.
 */
function systemRights({ allow, deny }: Grants, base: BaseRights) {
  const writable = Array.isArray(allow.write) ? allow.write : [];
  const all = new Set([...base.read, ...base.file, ...base.execute]);
  const meets = writable.length > 0 &&
    [...all].some((path) =>
      untrustedStep(path, writable) !== undefined || writable.some((each) => isInside(each, path))
    );
  if (!meets && deny.read === undefined && deny.run === undefined) {
    return { whole: base, shared: { read: [], execute: [] } };
  }
  const real = (paths: readonly string[]) =>
    realPaths(paths.filter((path) => untrustedLink(path, writable) === undefined));
  const closed = [...writable, ...deniedPrograms(deny.run)];
  const execute = expandExcept(real(base.execute), closed).open;
  const shared = { read: real([...base.read, ...base.file]), execute };
  return { whole: { device: base.device }, shared };
}

function directoriesOf(scope: Scope): readonly string[] {
  return scope === true ? ["/"] : scope;
}

/**
 * The real paths of what `--allow-run` lets programs start, and of what that needs to read: files,
 * directories of programs, and the libraries beside them. A file that a call may write may not be
 * executed, unless a flag names it by its path.
 */
function programFiles(
  { all, allow, deny }: Grants,
  temporary: string,
): { read: string[]; execute: string[] } {
  const writable = [temporary, ...(Array.isArray(allow.write) ? allow.write : [])];
  const denied = deniedPrograms(deny.run);
  if (all || allow.run === true) {
    // A file must be readable to be executed. So all of PATH is readable, and of the rest what is
    // granted.
    const directories = trustedPaths(programDirectories(), writable);
    const read = realPaths([...directories, ...librariesBeside(directories, writable)]);
    const granted = all || allow.read === true ? ["/"] : allow.read ?? [];
    return {
      read: [...read, ...languageSettings(writable)],
      execute: expandExcept([...read, ...granted], [...denied, ...writable]).open,
    };
  }
  const named = (allow.run ?? []).map((name) => ({ name, files: programOf(name, writable) }));
  const files = named.flatMap((each) => each.files);
  const byPath = named.filter(({ name }) => name.startsWith("/")).flatMap((each) => each.files);
  const directories = files.flatMap(({ found, path }) => [dirname(found), dirname(path)]);
  const libraries = realPaths(librariesBeside(directories, writable));
  const names = files.map(({ found }) => basename(found));
  const paths = [...files.map(({ path }) => path), ...libraries];
  return {
    read: [...paths, ...languageSettings(writable, names)],
    execute: [
      ...expandExcept(paths, [...denied, ...writable]).open,
      ...expandExcept(byPath.map(({ path }) => path), denied).open,
    ],
  };
}

/** The files of a program, or the directory of programs, that a flag names. */
function programOf(name: string, writable: Scope): FoundProgram[] {
  const program = findProgram(name, writable);
  if (program !== undefined) return filesOf(program, writable);
  const namesDirectory = name.startsWith("/") && name !== "/" && !isKernelPath(name);
  return namesDirectory ? [{ found: name, path: name }] : [];
}

/** The real paths that `--deny-run` names. */
function deniedPrograms(deny: Scope | undefined): string[] {
  if (deny === true) return ["/"];
  return (deny ?? []).flatMap((name) => name.startsWith("/") ? [name] : findPrograms(name));
}

/**
 * The real paths of the settings in /etc of the interpreters among these programs, or of all
 * without a list. A path that is not trusted, because a call could have written it, is left out.
 */
function languageSettings(writable: Scope, programs?: readonly string[]): string[] {
  const wanted = LANGUAGES.filter(([starts]) =>
    programs?.some((name) => starts.test(name)) ?? true
  );
  if (wanted.length === 0) return [];
  const names = entriesOf("/etc").map(({ name }) => name)
    .filter((name) => wanted.some(([, settings]) => settings.test(name)));
  return realPaths(trustedPaths(names.map((name) => `/etc/${name}`), writable));
}

/** The network access of programs. */
export interface NetworkPlan {
  /** The sockets that they may make. */
  network: ProgramNetwork;
  /** The TCP ports that they may connect to; of use when only ports are open. */
  ports: number[];
  /** The reason why they have less than the flags name, if they do. */
  note?: string;
}

/**
 * The network access of programs under the flags. The kernel knows ports and no hosts. So a grant
 * of a host opens nothing for them, a grant of a port (`:443`) opens TCP to it, and a bare grant
 * opens TCP and UDP. `version` is Landlock's.
 */
export function networkFor({ all, allow, deny }: Grants, version: number): NetworkPlan {
  const none: NetworkPlan = { network: "none", ports: [] };
  if (deny.net === true) return { ...none, note: "--deny-net forbids it" };
  if (deny.net !== undefined) {
    const note = "the kernel cannot block a single host, so --deny-net blocks";
    return { ...none, note: `${note} from every one` };
  }
  const net = all || allow.net;
  if (net === undefined) return none;
  if (net === true) return { network: "all", ports: [] };
  const ports = net.flatMap((each) => portOf(each) ?? []);
  const hosts = net.filter((each) => portOf(each) === undefined);
  const note = hosts.length === 0 ? {} : {
    note: `the kernel cannot enforce --allow-net=${hosts.join(",")} for programs, because it ` +
      `filters ports and not hosts; --allow-net=:PORT or a bare --allow-net would give them network access`,
  };
  if (ports.length === 0) return { ...none, ...note };
  if (version < since.ports) {
    return {
      ...none,
      note: "this kernel cannot restrict programs to single ports (Linux 6.7 " +
        "can)",
    };
  }
  return { network: "ports", ports, ...note };
}

/** The port of a grant that consists only of a port. */
function portOf(grant: string): number | undefined {
  const port = /^:(\d{1,5})$/.exec(grant)?.[1];
  return port !== undefined && Number(port) <= 65_535 ? Number(port) : undefined;
}
