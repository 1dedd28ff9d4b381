/** Patches whose record the state directory cannot take. */
import { expect } from "@std/expect";
import { executable, temporaryDirectory, toolcall } from "../../../support/executable.ts";

Deno.test({
  name: "apply_patch > the error names a state directory that cannot take the patch",
  ignore: Deno.build.os === "windows",
  async fn() {
    using root = temporaryDirectory();
    using state = temporaryDirectory();
    const names = ["a.txt", "b.txt"];
    const before = `old\n${"x".repeat(3000)}\n`;
    for (const name of names) Deno.writeTextFileSync(`${root.path}/${name}`, before);
    const changes = names.map((name) => `*** Update File: ${name}\n-old\n+new\n`).join("");
    const patch = `*** Begin Patch\n${changes}*** End Patch\n`;
    // The first start of the executable writes larger files than the limit allows.
    await toolcall(["--version"]);
    const { code, stdout } = await toolcall(
      [
        ...["-c", 'ulimit -f 8 && exec "$@"', "sh", executable, "apply_patch"],
        ...[JSON.stringify({ patch }), "-A", `--state-dir=${state.path}`],
      ],
      { cwd: root.path, program: { command: "sh", args: [] } },
    );
    const result = JSON.parse(stdout);
    expect(code).toBe(8);
    expect(result._meta["toolcall/error"].code).toBe("unavailable");
    expect(result.content[0].text).toContain(`Cannot keep patches in "${state.path}/patches": `);
    expect(result.content[0].text).toContain("choose another directory with --state-dir=DIR");
    for (const name of names) expect(Deno.readTextFileSync(`${root.path}/${name}`)).toBe(before);
  },
});
