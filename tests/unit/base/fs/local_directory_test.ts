/** A directory whose files are read synchronously, and only by exactly the requested path. */
import { expect } from "@std/expect";
import { LocalDirectory } from "../../../../src/base/fs/local_directory.ts";
import { repeatedScript } from "../../../support/repeated_script.ts";
import { temporaryDirectory } from "../../../support/temporary_directory.ts";

const isLinux = Deno.build.os === "linux";
const text = (bytes: Uint8Array | undefined) => bytes && new TextDecoder().decode(bytes);

/** A temporary directory with files, opened as a {@link LocalDirectory}. */
function world() {
  const directory = temporaryDirectory();
  const path = Deno.realPathSync(directory.path);
  Deno.mkdirSync(`${path}/root/below`, { recursive: true });
  Deno.writeTextFileSync(`${path}/root/a.txt`, "inside");
  Deno.writeTextFileSync(`${path}/root/below/b.txt`, "deeper");
  Deno.writeTextFileSync(`${path}/secret.txt`, "outside");
  const local = LocalDirectory.open(`${path}/root`);
  if (local === undefined) throw new Error("This system cannot open files below a directory");
  return {
    path,
    read: (name: string, most = 100) => text(local.read(`${path}/${name}`, most)),
    [Symbol.dispose]() {
      local.close();
      directory[Symbol.dispose]();
    },
  };
}

Deno.test({
  name: "local directory > a regular file below it is read if it is not too large",
  ignore: !isLinux,
  fn: () => {
    using here = world();
    expect(here.read("root/a.txt")).toBe("inside");
    expect(here.read("root/below/b.txt")).toBe("deeper");
    expect(here.read("root/a.txt", 6)).toBe("inside");
    expect(here.read("root/a.txt", 5)).toBeUndefined();
    for (const name of ["root", "root/below", "root/missing", "secret.txt", "root/../secret.txt"]) {
      expect([name, here.read(name)]).toEqual([name, undefined]);
    }
    Deno.writeTextFileSync(`${here.path}/root/a.txt`, "");
    expect(here.read("root/a.txt")).toBeUndefined();
  },
});

Deno.test({
  name: "local directory > a symlink anywhere in the path is not followed",
  ignore: !isLinux,
  fn: () => {
    using here = world();
    Deno.symlinkSync("a.txt", `${here.path}/root/link.txt`);
    Deno.symlinkSync("below", `${here.path}/root/linked`);
    Deno.symlinkSync("../secret.txt", `${here.path}/root/out.txt`);
    Deno.symlinkSync("/", `${here.path}/root/top`);
    for (const name of ["link.txt", "linked/b.txt", "out.txt", "top/etc/hostname"]) {
      expect([name, here.read(`root/${name}`)]).toEqual([name, undefined]);
    }
  },
});

Deno.test({
  name: "local directory > a new directory at the same path is not read",
  ignore: !isLinux,
  fn: () => {
    using here = world();
    Deno.renameSync(`${here.path}/root`, `${here.path}/old`);
    Deno.mkdirSync(`${here.path}/root`);
    Deno.writeTextFileSync(`${here.path}/root/a.txt`, "new");
    expect(here.read("root/a.txt")).toBeUndefined();
  },
});

Deno.test({
  name: "local directory > pipes, devices and other file systems are not opened",
  ignore: !isLinux,
  fn: async () => {
    using here = world();
    const { success } = await new Deno.Command("mkfifo", { args: [`${here.path}/root/pipe`] })
      .output();
    expect(success).toBe(true);
    // A writer waits until another process opens the pipe for reading.
    const writer = new Deno.Command("sh", {
      args: ["-c", 'echo late > "$0"', `${here.path}/root/pipe`],
    }).spawn();
    for (let count = 0; count < 100; count++) expect(here.read("root/pipe")).toBeUndefined();
    expect(Deno.readTextFileSync(`${here.path}/root/pipe`)).toBe("late\n");
    expect((await writer.status).success).toBe(true);
    const top = LocalDirectory.open("/");
    for (const path of ["/proc/version", "/proc/self/environ", "/dev/null", "/sys/kernel/notes"]) {
      expect([path, top?.read(path, 2 ** 20)]).toEqual([path, undefined]);
    }
    top?.close();
    expect(LocalDirectory.open("/proc")).toBeUndefined();
    expect(LocalDirectory.open(`${here.path}/missing`)).toBeUndefined();
  },
});

Deno.test({
  name:
    "local directory > a path that another process keeps replacing by a symlink never leads outside",
  ignore: !isLinux,
  fn: async () => {
    using here = world();
    Deno.copyFileSync(`${here.path}/root/a.txt`, `${here.path}/root/good`);
    await using _swapper = repeatedScript(
      "ln -f good now; ln -sfn ../secret.txt now; rm -f now",
      `${here.path}/root`,
    );
    const seen = new Map<string | undefined, number>();
    for (const end = Date.now() + 60_000; Date.now() < end;) {
      for (let count = 0; count < 1_000; count++) {
        const found = here.read("root/now");
        seen.set(found, (seen.get(found) ?? 0) + 1);
      }
      if ((seen.get("inside") ?? 0) > 10 && (seen.get(undefined) ?? 0) > 10) break;
    }
    expect([...seen.keys()].sort()).toEqual(["inside", undefined]);
  },
});
