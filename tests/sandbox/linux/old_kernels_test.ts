// deno-lint-ignore-file no-console
/** Each version of Landlock, as far as this kernel can stand in for an older one. */
import { fileURLToPath } from "node:url";
import { expect } from "@std/expect";
import { networkFor } from "../../../src/runner/sandbox/policy/program_rights.ts";
import { landlockVersionHere } from "../../../src/runner/sandbox/describe_confinement.ts";
import { temporaryDirectory } from "../../support/executable.ts";

const version = landlockVersionHere();
const runs = version > 0 && Deno.build.arch === "x86_64";
if (!runs) console.log("skipped: these tries need Landlock, and system calls of x86-64");

Deno.test({
  name: "old kernels > files are held from the first version of Landlock on, truncating too",
  ignore: !runs,
  fn: async (t) => {
    const versions = Array.from({ length: version }, (_, at) => [String(at + 1)]);
    for (const [each, ...how] of [...versions, [String(version), "filtered"]]) {
      await t.step(`version ${each}${how.map((word) => `, ${word}`)}`, async () => {
        using directory = temporaryDirectory();
        const [open, secret] = [`${directory.path}/open`, `${directory.path}/secret`];
        Deno.mkdirSync(open);
        for (const path of [`${open}/file`, secret]) Deno.writeTextFileSync(path, "whole");
        const script = fileURLToPath(new URL("behind_version.ts", import.meta.url));
        const { stdout, success } = await new Deno.Command(Deno.execPath(), {
          args: ["run", "-A", script, each!, open, secret, ...how],
        }).output();
        expect(success).toBe(true);
        expect(new TextDecoder().decode(stdout).trim().split("\n")).toEqual([
          "read what may be read",
          "write what may be written",
        ]);
        expect(Deno.readTextFileSync(secret)).toBe("whole");
        expect(Deno.readTextFileSync(`${open}/file`)).toBe("");
      });
    }
  },
});

Deno.test("old kernels > what the flags open of the network, by Landlock's version", () => {
  const plan = (net: true | string[] | undefined, of: number, deny?: true | string[]) => {
    const grants = {
      all: false,
      allow: { ...(net && { net }) },
      deny: { ...(deny && { net: deny }) },
    };
    const { network, ports, note } = networkFor(grants, of);
    return [network, ports.join(), note === undefined ? "" : "says why"];
  };
  const rows: [plan: string[], expected: string[]][] = [
    [plan(undefined, 7), ["none", "", ""]],
    [plan(true, 1), ["all", "", ""]],
    [plan([":443", ":80"], 7), ["ports", "443,80", ""]],
    [plan([":443"], 3), ["none", "", "says why"]],
    [plan(["example.com"], 7), ["none", "", "says why"]],
    [plan(["example.com:443", ":80"], 7), ["ports", "80", "says why"]],
    [plan([":99999"], 7), ["none", "", "says why"]],
    [plan([":0x50"], 7), ["none", "", "says why"]],
    [plan(true, 7, true), ["none", "", "says why"]],
    [plan(true, 7, ["evil.example"]), ["none", "", "says why"]],
  ];
  for (const [found, expected] of rows) expect(found).toEqual(expected);
});
