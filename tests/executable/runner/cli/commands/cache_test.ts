/** `toolcall cache`: the versions that the executable has unpacked. */
import { expect } from "@std/expect";
import { executable, temporaryDirectory, toolcall } from "../../../../support/executable.ts";
import { until } from "../../../../support/wait.ts";

const isSelfExtracting = Deno.build.os === "linux" &&
  new TextDecoder().decode(Deno.readFileSync(executable).subarray(0, 65_536)).includes("tc_key=");

Deno.test({
  name: "cache clean > running versions, recent versions and foreign files stay",
  ignore: !isSelfExtracting,
  async fn() {
    using directory = temporaryDirectory();
    const cache = `${directory.path}/cache`;
    const env = { TOOLCALL_CACHE_DIR: cache };
    const json = async (...args: string[]) =>
      JSON.parse((await toolcall(["cache", ...args, "--format=json"], { env })).stdout);
    const { versions } = await json();
    expect(versions.length).toBe(1);
    expect(versions[0]).toMatchObject({ isRunning: true, isInUse: false });
    const version = (letter: string, { hasState = true } = {}) => {
      const name = `${letter.repeat(16)}.1.2`;
      Deno.mkdirSync(`${cache}/${name}${hasState ? "/state" : ""}`, { recursive: true });
      Deno.writeTextFileSync(`${cache}/${letter.repeat(16)}`, `${name}\n`);
      return name;
    };
    const age = (name: string) => {
      const old = new Date(Date.now() - 3 * 24 * 3_600_000);
      for (const each of [name, name.slice(0, 16)]) Deno.utimeSync(`${cache}/${each}`, old, old);
    };
    const [old, recent, unready, used, last] = [
      version("a"),
      version("b"),
      version("c", { hasState: false }),
      version("d"),
      version("f"),
    ];
    Deno.copyFileSync("/bin/sleep", `${cache}/${used}/deno`);
    Deno.chmodSync(`${cache}/${used}/deno`, 0o700);
    Deno.mkdirSync(`${cache}/mine`);
    Deno.symlinkSync("mine", `${cache}/${"e".repeat(16)}.1.2`);
    const sleeper = new Deno.Command(`${cache}/${used}/deno`, { args: ["600"] }).spawn();
    try {
      for (const each of [old, unready, used]) age(each);
      Deno.mkdirSync(`${directory.path}/state/toolcall`, { recursive: true });
      await until(() => Deno.readLinkSync(`/proc/${sleeper.pid}/exe`).startsWith(cache));
      expect((await json("clean")).removed).toEqual([old]);
      const all = await json("clean", "--all");
      expect(all.removed.sort()).toEqual([recent, last, versions[0].name].sort());
      expect(all).toMatchObject({ kept: 1, directories: [] });
      const names = [...Deno.readDirSync(cache)].map(({ name }) => name);
      for (const kept of [unready, used, "mine", `${"e".repeat(16)}.1.2`]) {
        expect(names).toContain(kept);
      }
      for (const gone of [old, old.slice(0, 16), recent]) expect(names).not.toContain(gone);
    } finally {
      sleeper.kill();
      await sleeper.status;
    }
    // The next start unpacks again and removes unfinished versions, so the test removes them first.
    for (const each of [unready, "mine", `${"e".repeat(16)}.1.2`]) {
      Deno.removeSync(`${cache}/${each}`, { recursive: true });
    }
    const { stdout } = await toolcall(["cache"], { env });
    expect(stdout).toContain("this version");
    const state = { XDG_STATE_HOME: `${directory.path}/state`, HOME: directory.path };
    const removed = await toolcall(["cache", "clean", "--all", "--state", "--format=json"], {
      env: { ...env, ...state },
    });
    expect(removed.stderr).toBe("");
    expect(JSON.parse(removed.stdout).directories).toEqual([
      `${directory.path}/state/toolcall`,
      cache,
    ]);
    expect([...Deno.readDirSync(directory.path)].map(({ name }) => name)).toEqual(["state"]);
  },
});

Deno.test("cache > a wrong command line exits with code 2", async () => {
  for (const args of [["clen"], ["list", "--all"], ["clean", "x"], ["clean", "--state"]]) {
    expect((await toolcall(["cache", ...args])).code).toBe(2);
  }
});
