/** `toolcall cache`: the versions that the executable has unpacked. */
import { expect } from "@std/expect";
import { executable, temporaryDirectory, toolcall } from "../../../../support/executable.ts";
import { until } from "../../../../support/processes.ts";

const isSelfExtracting = Deno.readTextFileSync(executable).slice(0, 4) !== undefined &&
  Deno.build.os === "linux";

Deno.test({
  name: "cache clean > what runs, what is recent and what is not ours stays",
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
    const [old, recent, unready, used] = [
      version("a"),
      version("b"),
      version("c", { hasState: false }),
      version("d"),
    ];
    Deno.copyFileSync("/bin/sleep", `${cache}/${used}/deno`);
    Deno.chmodSync(`${cache}/${used}/deno`, 0o700);
    Deno.mkdirSync(`${cache}/mine`);
    Deno.symlinkSync("mine", `${cache}/${"e".repeat(16)}.1.2`);
    const sleeper = new Deno.Command(`${cache}/${used}/deno`, { args: ["600"] }).spawn();
    try {
      for (const each of [old, unready, used]) age(each);
      await until(() => Deno.readLinkSync(`/proc/${sleeper.pid}/exe`).startsWith(cache));
      expect((await json("clean")).removed).toEqual([old]);
      expect((await json("clean", "--all")).removed).toEqual([recent]);
      const names = [...Deno.readDirSync(cache)].map(({ name }) => name);
      for (const kept of [unready, used, "mine", `${"e".repeat(16)}.1.2`, versions[0].name]) {
        expect(names).toContain(kept);
      }
      for (const gone of [old, old.slice(0, 16), recent]) expect(names).not.toContain(gone);
    } finally {
      sleeper.kill();
      await sleeper.status;
    }
    const { stdout } = await toolcall(["cache"], { env });
    expect(stdout).toContain("this version");
  },
});

Deno.test("cache > a wrong command line is said", async () => {
  for (const args of [["clen"], ["list", "--all"], ["clean", "x"]]) {
    expect((await toolcall(["cache", ...args])).code).toBe(2);
  }
});
