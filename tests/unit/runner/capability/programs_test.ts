/** Programs as capabilities: they are found in PATH without a run, and one run examines them. */
import { fileURLToPath } from "node:url";
import { expect } from "@std/expect";
import type { CapabilityStatus } from "../../../../src/runner/registry/providers.ts";
import { temporaryDirectory } from "../../../support/temporary_directory.ts";
import { readIfThere } from "../../../support/wait.ts";

type Asked = readonly (readonly ["find" | "examine", string])[];

/** The capabilities that a child process finds when PATH has only these scripts. */
async function detected(
  scripts: Readonly<Record<string, string>>,
  asked: Asked,
  { writable = false } = {},
): Promise<{ found: CapabilityStatus[]; ran: string[]; directory: string }> {
  using parent = temporaryDirectory();
  const directory = `${Deno.realPathSync(parent.path)}/bin`;
  Deno.mkdirSync(directory);
  for (const [name, script] of Object.entries(scripts)) {
    const text = `#!/bin/sh\necho "$0 $*" >>${directory}/../ran\n${script}\n`;
    Deno.writeTextFileSync(`${directory}/${name}`, text, { mode: 0o755 });
  }
  const setup = {
    ...(writable && { grants: { all: false, allow: { write: [directory] }, deny: {} } }),
  };
  const module = fileURLToPath(new URL("detect.ts", import.meta.url));
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", module, JSON.stringify(setup), JSON.stringify(asked)],
    env: { PATH: directory },
  }).output();
  expect(new TextDecoder().decode(stderr)).toBe("");
  return {
    found: JSON.parse(new TextDecoder().decode(stdout)),
    ran: readIfThere(`${directory}/../ran`).trim().split("\n").filter((line) => line !== ""),
    directory,
  };
}

Deno.test("capability > finding a program does not run it, and examining it several times runs it once", async () => {
  const scripts = { git: "echo git version 9.9" };
  const asked: Asked = [["find", "git"], ["find", "git"]];
  const { found, ran, directory } = await detected(scripts, asked);
  expect(found).toEqual(asked.map(() => ({ ok: true, detail: `${directory}/git` })));
  expect(ran).toEqual([]);
  const again: Asked = [...asked, ["examine", "git"], ["examine", "git"], ["examine", "git"]];
  const examined = await detected(scripts, again);
  expect(examined.found.slice(2)).toEqual(
    again.slice(2).map(() => ({ ok: true, detail: "git version 9.9" })),
  );
  expect(examined.ran).toEqual([`${examined.directory}/git --version`]);
});

Deno.test("capability > a program that is missing, broken or writable for calls is reported with advice", async () => {
  const scripts = {
    git: "echo libz.so.1: cannot open shared object file >&2\nexit 127",
    bash: "kill -9 $$",
    say: "echo unknown option >&2\nexit 1",
    quiet: "exit 0",
    shout: "exit 127",
    go: '[ "$1" = version ] && echo go version go1.99',
  };
  const names = [...Object.keys(scripts), "rg", "cargo", "bwrap"];
  const { found, directory } = await detected(scripts, names.map((name) => ["examine", name]));
  expect(Object.fromEntries(names.map((name, at) => [name, found[at]]))).toEqual({
    git: {
      ok: false,
      detail: `"${directory}/git" does not work: libz.so.1: cannot open shared object file`,
      advice: "install git anew, or correct PATH",
    },
    bash: {
      ok: false,
      detail: `"${directory}/bash" does not work: it was ended by SIGKILL`,
      advice: "install bash anew, or correct PATH",
    },
    say: { ok: true, detail: `${directory}/say` },
    quiet: { ok: true, detail: `${directory}/quiet` },
    shout: {
      ok: false,
      detail: `"${directory}/shout" does not work: exit code 127`,
      advice: "install shout anew, or correct PATH",
    },
    go: { ok: true, detail: "go version go1.99" },
    rg: {
      ok: false,
      detail: "not beside this program",
      advice: 'build this program with "deno task build", which takes ripgrep into it',
    },
    cargo: { ok: false, detail: "not in PATH", advice: "install cargo, or correct PATH" },
    bwrap: { ok: false, detail: "not in PATH", advice: "install bubblewrap, or correct PATH" },
  });
  const planted = await detected(scripts, [["examine", "git"]], { writable: true });
  expect(planted.found).toEqual([{
    ok: false,
    detail: `"${planted.directory}/git" is ignored: it is in a place that calls may write to`,
    advice: "grant less with --allow-write, or install git elsewhere",
  }]);
  expect(planted.ran).toEqual([]);
});
