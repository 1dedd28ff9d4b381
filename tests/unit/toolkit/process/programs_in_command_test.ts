import { expect } from "@std/expect";
import { unitsOf } from "../../../support/measure.ts";
import { programsInCommand } from "../../../../src/toolkit/process/programs_in_command.ts";

const cases: [command: string, programs: string[]][] = [
  ["ls | wc -l", ["ls", "wc"]],
  ["cd src && git status", ["git"]],
  ["FOO=1 npm test; echo done", ["npm"]],
  ["if test -f a; then cat a; else touch a; fi", ["cat", "touch"]],
  ['for f in *.txt; do sed -n 1p "$f"; done', ["sed"]],
  ["echo $(date +%s) `uname -a`", ["date", "uname"]],
  ["find . -name '*.ts' | xargs grep -l foo", ["find", "xargs", "grep"]],
  ["cat <<'EOF' > out\nrm -rf /\nEOF\nwc out", ["cat", "wc"]],
  ["make 2>&1 | tee log # then rm log", ["make", "tee"]],
  ["'./run me' a; ./build.sh", ["./build.sh"]],
  ['$EDITOR a; "$HOME/bin/x"', []],
  ["ls; ls; (ls)", ["ls"]],
  ["", []],
];

Deno.test("programs in a command > the words at the position of a program are found", () => {
  for (const [command, programs] of cases) {
    expect({ command, programs: programsInCommand(command) }).toEqual({ command, programs });
  }
});

Deno.test("programs in a command > a long command takes linear time", async () => {
  const command = "a".repeat(200_000) + '"'.repeat(100_001) + "(".repeat(100_000);
  const units = await unitsOf(() => {
    programsInCommand(command);
    programsInCommand("<<x\n".repeat(5_000));
  });
  expect(units).toBeLessThan(200);
});
