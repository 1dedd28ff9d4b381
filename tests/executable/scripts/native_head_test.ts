/** The native head of the self-extracting executable, for each architecture that has one. */
// tier: machine
import { join } from "node:path";
import { expect } from "@std/expect";
import { compileHead } from "../../../scripts/head/compile_head.ts";
import { machineCode } from "../../../scripts/head/machine_code.ts";
import { type Architecture, ownArchitecture } from "../../../scripts/head/native_head.ts";
import { has } from "../../support/programs.ts";
import { run, writeStandIn } from "../../support/stand_in.ts";
import { temporaryDirectory } from "../../support/temporary_directory.ts";

const architectures = Object.keys(machineCode) as Architecture[];

for (const architecture of architectures) {
  const { code, compiler } = machineCode[architecture];
  const compiled = compileHead(architecture);
  if (compiled?.compiler !== compiler) {
    // deno-lint-ignore no-console
    console.log(`skipped: head.c for ${architecture}: ${compiler} is not installed`);
  }
  Deno.test({
    name: `native head > its machine code is head.c, compiled for ${architecture}`,
    ignore: compiled?.compiler !== compiler,
    fn: () => expect(compiled!.code.toBase64()).toBe(code),
  });

  const isOwn = architecture === ownArchitecture();
  const emulator = isOwn ? [] : [`qemu-${architecture}-static`];
  Deno.test({
    name: `native head > a warm start needs no shell on ${architecture}`,
    ignore: Deno.build.os !== "linux" || !emulator.every(has),
    async fn() {
      using directory = temporaryDirectory();
      const [first, program] = ["first", "program"].map((name) => join(directory.path, name));
      const options = { ballast: 0, fallbackParent: directory.path };
      // An emulated program cannot start itself, so the script head of the same files unpacks.
      await writeStandIn(first!, { ...options, head: isOwn ? architecture : "script" });
      await writeStandIn(program!, { ...options, head: architecture });
      const env = { PATH: "/usr/bin:/bin", TOOLCALL_CACHE_DIR: join(directory.path, "cache") };
      const start = () => run([...emulator, program!, "args", "x y", ""], { env });
      expect((await run([first!, "args", "x y"], { env })).text).toBe("<x y>");
      expect(await start()).toMatchObject({ code: 0, text: "<x y><>", stderr: "" });
      // Without its script the head can only start unpacked files.
      const bytes = await Deno.readFile(program!);
      const script = new TextDecoder("latin1").decode(bytes).indexOf("#!/bin/sh");
      await Deno.writeFile(program!, bytes.subarray(0, script), { mode: 0o755 });
      expect(await start()).toMatchObject({ code: 0, text: "<x y><>" });
      await Deno.remove(env.TOOLCALL_CACHE_DIR, { recursive: true });
      expect((await start()).text).toBe("");
    },
  });
}
