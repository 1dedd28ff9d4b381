/**
 * A root directory with only Debian's essential packages and git, copied from this machine, and
 * programs that run in it: in their own mount, process and network namespaces.
 */
import { join } from "node:path";
import { temporaryDirectory } from "./temporary_directory.ts";

/** The unprivileged user in the base system. */
const USER = 1000;

/** The result of a script in the base system. */
export interface ScriptEnd {
  code: number;
  stdout: string;
  stderr: string;
}

/** A base system. */
export interface BaseSystem extends Disposable {
  /** The path of its root directory on this machine. */
  root: string;
  /** Runs a script of `sh` in it. By default, the user has the home directory `/home/user`. */
  run(script: string, options?: { asRoot?: boolean }): Promise<ScriptEnd>;
  /** Returns the paths of all files and symlinks, without the records of dpkg. */
  files(): Promise<string[]>;
}

/** Returns the reason why no base system can be made here, or undefined. */
export async function baseSystemFault(): Promise<string | undefined> {
  if (Deno.build.os !== "linux" || Deno.uid() !== 0) return "it needs root on Linux";
  const mounts = "mount -t proc proc /proc && mount --bind / /mnt && mount --rbind /dev /mnt/dev";
  for (const command of [["dpkg-query", "--version"], ["unshare", "-mpfn", "sh", "-c", mounts]]) {
    const { code } = await execute(command).catch(() => ({ code: 127 }));
    if (code !== 0) return `it needs "${command.join(" ")}"`;
  }
  return undefined;
}

/** Copies the files of the essential packages into a new root directory. */
export async function makeBaseSystem(): Promise<BaseSystem> {
  const directory = temporaryDirectory();
  const root = join(directory.path, "root");
  Deno.mkdirSync(root);
  Deno.chmodSync(directory.path, 0o755);
  for (const name of ["bin", "lib", "lib32", "lib64", "libx32", "sbin"]) {
    const target = linkTarget(`/${name}`);
    if (target === undefined) continue;
    Deno.mkdirSync(join(root, target), { recursive: true });
    Deno.symlinkSync(target, join(root, name));
  }
  const packages = await essentialPackages();
  const listed = (await execute(["dpkg", "-L", ...packages])).stdout.split("\n");
  const files = [...new Set(listed)].filter((path) =>
    path.startsWith("/") && !/^\/usr\/share\/(doc|locale|man|info)\//.test(path) && isFile(path)
  );
  const list = join(directory.path, "files");
  Deno.writeTextFileSync(list, files.map((path) => `${path.slice(1)}\n`).join(""));
  const copy = `tar -C / -cf - --no-recursion -T "$0" | tar -xf - -C "$1"`;
  expectSuccess(await execute(["sh", "-c", copy, list, root]));
  for (const path of ["proc", "dev", "tmp", "etc", "root", "var/lib/dpkg/info", "var/log"]) {
    Deno.mkdirSync(join(root, path), { recursive: true });
  }
  Deno.mkdirSync(join(root, "var/lib/dpkg/updates"), { recursive: true });
  Deno.mkdirSync(join(root, "var/tmp"), { recursive: true });
  for (const path of ["tmp", "var/tmp"]) Deno.chmodSync(join(root, path), 0o1777);
  const users = `root:x:0:0::/root:/bin/sh\nuser:x:${USER}:${USER}::/home/user:/bin/sh\n`;
  Deno.writeTextFileSync(join(root, "etc/passwd"), users);
  Deno.writeTextFileSync(join(root, "etc/group"), `root:x:0:\nuser:x:${USER}:\n`);
  const { stdout: status } = await execute(["dpkg-query", "-s", ...packages]);
  Deno.writeTextFileSync(join(root, "var/lib/dpkg/status"), status.replaceAll(/^---$/gm, ""));
  Deno.writeTextFileSync(join(root, "var/lib/dpkg/available"), "");
  // dpkg warns about packages whose lists of files are missing.
  for (const name of packages) {
    Deno.writeTextFileSync(join(root, `var/lib/dpkg/info/${name}.list`), "/.\n");
  }
  Deno.mkdirSync(join(root, "home/user"), { recursive: true });
  Deno.chownSync(join(root, "home/user"), USER, USER);
  return {
    root,
    run: (script, options) => runIn(root, script, options),
    async files() {
      const kinds = ["-type", "f", "-o", "-type", "l"];
      const { stdout } = await execute(["find", root, "-xdev", "(", ...kinds, ")"]);
      return stdout.trim().split("\n").map((path) => path.slice(root.length))
        .filter((path) => !/^\/(?:var\/(?:lib\/dpkg|log|cache)|tmp|proc|dev)\//.test(path)).sort();
    },
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

async function runIn(
  root: string,
  script: string,
  { asRoot = false }: { asRoot?: boolean } = {},
): Promise<ScriptEnd> {
  const user = asRoot ? "0:0" : `${USER}:${USER}`;
  const enter = [
    'mount --bind "$0" "$0" && mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev"',
    `exec chroot --userspec=${user} --groups= "$0" /bin/sh -c "$1"`,
  ].join(" && ");
  return await execute(["unshare", "-mpfn", "sh", "-c", enter, root, script], {
    PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    HOME: asRoot ? "/root" : "/home/user",
    LC_ALL: "C.UTF-8",
  });
}

/** Returns the names of the essential packages, git, a library, and all their dependencies. */
async function essentialPackages(): Promise<string[]> {
  const format = "${Package}\\t${Essential}\\t${Pre-Depends}, ${Depends}\\t${Provides}\\n";
  const { stdout } = await execute(["dpkg-query", "-W", "-f", format]);
  const needs = new Map<string, string>();
  const providers = new Map<string, string>();
  const waiting = ["libgcc-s1", "git"];
  const nameOf = (text: string) => text.trim().split(/[ (:]/)[0]!;
  for (const line of stdout.trim().split("\n")) {
    // The last line may have lost its empty fields.
    const [name, essential, depends = "", provides = ""] = line.split("\t");
    needs.set(name!, depends);
    for (const each of provides.split(",")) providers.set(nameOf(each), name!);
    if (essential === "yes") waiting.push(name!);
  }
  const found = new Set<string>();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const name = needs.has(next) ? next : providers.get(next);
    if (name === undefined || found.has(name)) continue;
    found.add(name);
    for (const group of needs.get(name)!.split(",")) {
      const names = group.split("|").map(nameOf);
      const available = names.find((each) => needs.has(each) || providers.has(each));
      if (available !== undefined) waiting.push(available);
    }
  }
  return [...found].sort();
}

async function execute(command: string[], env?: Record<string, string>): Promise<ScriptEnd> {
  const { code, stdout, stderr } = await new Deno.Command(command[0]!, {
    args: command.slice(1),
    ...(env && { env, clearEnv: true }),
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

function expectSuccess({ code, stderr }: ScriptEnd): void {
  if (code !== 0) throw new Error(`Cannot copy the base system: ${stderr}`);
}

function linkTarget(path: string): string | undefined {
  try {
    return Deno.readLinkSync(path);
  } catch {
    return undefined;
  }
}

function isFile(path: string): boolean {
  try {
    return !Deno.lstatSync(path).isDirectory;
  } catch {
    return false;
  }
}
