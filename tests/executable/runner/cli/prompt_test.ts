/** Permissions that the user is asked for with `--prompt`. */
import { expect } from "@std/expect";
import { atTerminal } from "../../../support/at_terminal.ts";
import { temporaryDirectory, toolcall } from "../../../support/executable.ts";
import { hasTerminals } from "../../../support/pseudo_terminal.ts";

const ignore = !hasTerminals;

/** A directory with a file, and a state directory beside it. */
function desk() {
  const directory = temporaryDirectory();
  const path = Deno.realPathSync(directory.path);
  const [cwd, state] = [`${path}/work`, `${path}/state`];
  Deno.mkdirSync(cwd);
  Deno.writeTextFileSync(`${cwd}/a.txt`, "one\n");
  return {
    ...{ cwd, state, kept: `${state}/prompts.json` },
    flags: ["--prompt", `--state-dir=${state}`],
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

const call = ["fs.read", '{"path":"a.txt"}'];
const QUESTION = "[n] no ";

Deno.test({
  name: "--prompt > the key y allows one call, and n, Enter, Ctrl-C and Esc refuse it",
  ignore,
  async fn() {
    using here = desk();
    const once = await atTerminal([...here.flags, ...call], { ...here, keys: [[QUESTION, "xy"]] });
    expect(once.code).toBe(0);
    expect(once.lines.at(-1)).toBe("one");
    const text = once.lines.join(" ");
    expect(text).toContain(`fs.read needs --allow-read=${here.cwd}/a.txt. Allow it?`);
    expect(text).toContain("[y] once");
    for (const key of ["n", "\r", "\x03", "\x1b"]) {
      const no = await atTerminal([...here.flags, ...call], { ...here, keys: [[QUESTION, key]] });
      expect(no.code).toBe(6);
      expect(no.lines.join("\n")).toContain("error[permission_denied]: ");
    }
    expect(() => Deno.statSync(here.kept)).toThrow();
  },
});

Deno.test({
  name:
    "--prompt > the key a keeps the permission for the directory, in a private file, for --prompt",
  ignore,
  async fn() {
    using here = desk();
    const { cwd, state, kept, flags } = here;
    const first = await atTerminal([...flags, ...call], { cwd, keys: [[QUESTION, "a"]] });
    expect([first.code, first.lines.at(-1)]).toEqual([0, "one"]);
    expect(Deno.statSync(kept).mode! & 0o777).toBe(0o600);
    expect(JSON.parse(Deno.readTextFileSync(kept))).toEqual({
      directories: { [cwd]: [{ kind: "read", value: `${cwd}/a.txt` }] },
    });
    const again = await atTerminal([...flags, ...call], { cwd });
    expect([again.code, again.lines]).toEqual([0, ["one"]]);
    const shown = await atTerminal([...flags, "--verbose", ...call], { cwd, columns: 200 });
    expect(shown.lines[0])
      .toBe(`toolcall: kept for this directory: --allow-read=${cwd}/a.txt`);
    const check = await atTerminal(["check", ...flags, ...call], { cwd, columns: 200 });
    expect(check.code).toBe(0);
    expect(check.lines.join("\n")).toContain(`kept       --allow-read=${cwd}/a.txt`);
    // The permission is not used without the flag, in another directory, or in a pipe.
    const without = await atTerminal([`--state-dir=${state}`, ...call], { cwd });
    expect(without.code).toBe(6);
    Deno.mkdirSync(`${cwd}/other`);
    const absolute = ["Read", JSON.stringify({ file_path: `${cwd}/a.txt` })];
    const other = { cwd: `${cwd}/other`, keys: [[QUESTION, "n"]] as const };
    expect((await atTerminal([...flags, ...absolute], other)).code).toBe(6);
    const piped = await toolcall([...flags, ...call], { cwd });
    expect(piped.code).toBe(6);
    expect(JSON.parse(piped.stdout).isError).toBe(true);
    expect((await atTerminal([...flags, ...call], { cwd, stdin: "> out.json" })).code).toBe(6);
  },
});

Deno.test({
  name: "--prompt > the kept permissions are listed and cleared",
  ignore,
  async fn() {
    using here = desk();
    const { cwd, state, kept, flags } = here;
    const prompts = ["config", "prompts", `--state-dir=${state}`];
    expect((await toolcall(prompts)).stdout).toContain("No permissions are kept.");
    await atTerminal([...flags, ...call], { cwd, keys: [[QUESTION, "a"]] });
    expect((await toolcall(prompts)).stdout).toContain(`--allow-read=${cwd}/a.txt`);
    expect(JSON.parse((await toolcall([...prompts, "--format=json"])).stdout)).toEqual({
      ...{ file: kept },
      permissions: [{ directory: cwd, kind: "read", value: `${cwd}/a.txt` }],
    });
    expect((await toolcall([...prompts, "--clear"])).stdout).toBe("Removed 1 kept permission\n");
    expect(() => Deno.statSync(kept)).toThrow();
    const asked = await atTerminal([...flags, ...call], { cwd, keys: [[QUESTION, "n"]] });
    expect(asked.code).toBe(6);
  },
});

Deno.test({
  name:
    "--prompt > no call can write the kept permissions, and a file that others can write is refused",
  ignore,
  async fn() {
    using here = desk();
    const { cwd, state, kept, flags } = here;
    await atTerminal([...flags, ...call], { cwd, keys: [[QUESTION, "a"]] });
    const before = Deno.readTextFileSync(kept);
    const grants = ["-R", "-W", "--allow-run", `--state-dir=${state}`];
    const write = { file_path: kept, content: "{}" };
    expect((await toolcall([...grants, "Write", JSON.stringify(write)], { cwd })).code).toBe(6);
    const shell = { command: `echo '{}' > '${kept}'` };
    await toolcall([...grants, "Bash", JSON.stringify(shell)], { cwd });
    expect(Deno.readTextFileSync(kept)).toBe(before);
    Deno.chmodSync(kept, 0o666);
    const open = await atTerminal([...flags, ...call], { cwd, columns: 200 });
    expect(open.code).toBe(8);
    expect(open.lines.join("\n")).toContain("other users can read or write it");
    Deno.chmodSync(kept, 0o600);
    // A path that became a symlink leads elsewhere, so its permission is not used.
    Deno.removeSync(`${cwd}/a.txt`);
    Deno.symlinkSync("/etc/hostname", `${cwd}/a.txt`);
    const linked = ["Read", JSON.stringify({ file_path: "/etc/hostname" })];
    const asked = await atTerminal([...flags, ...linked], { cwd, keys: [[QUESTION, "n"]] });
    expect(asked.code).toBe(6);
  },
});

Deno.test({
  name: "--prompt > the user is never asked for a denied permission, or for all permissions",
  ignore,
  async fn() {
    using here = desk();
    const { cwd, flags } = here;
    const denied = await atTerminal([
      ...flags,
      "--deny-read=/etc",
      "Read",
      '{"file_path":"/etc/hosts"}',
    ], {
      cwd,
    });
    expect([denied.code, denied.written.includes("[y]")]).toEqual([6, false]);
    const kernel = await atTerminal([...flags, "Read", '{"file_path":"/proc/self/environ"}'], {
      cwd,
    });
    expect([kernel.code, kernel.written.includes("[y]")]).toEqual([6, false]);
  },
});
