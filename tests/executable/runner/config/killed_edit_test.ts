/** Edits of the configuration that are killed. */
// tier: machine
import { expect } from "@std/expect";
import { executable } from "../../../support/executable.ts";
import { pause } from "../../../support/wait.ts";
import { desk } from "./edit_desk.ts";

Deno.test("config edit > a call that is killed leaves the old file or the new one", async () => {
  const description = "x".repeat(200_000);
  await Promise.all([true, false].map(async (existed) => {
    for (let round = 0; round < 10; round++) {
      using here = desk(existed ? { "toolcall.json": "{}" } : {});
      const args = { setting: "/bundles/mine", value: { description } };
      const child = new Deno.Command(executable, {
        args: ["-A"],
        cwd: here.path,
        env: here.env,
        stdin: "piped",
        stdout: "null",
        stderr: "null",
      }).spawn();
      const writer = child.stdin.getWriter();
      const written = writer.write(
        new TextEncoder().encode(JSON.stringify({ name: "Config", arguments: args })),
      ).then(() => writer.close()).catch(() => {});
      await pause(30 + round * 20, "The moment of the kill is random");
      try {
        child.kill("SIGKILL");
      } catch { /* The process has ended. */ }
      await child.status;
      await written;
      const exists = [...Deno.readDirSync(here.path)].some(({ name }) => name === "toolcall.json");
      const config = exists ? JSON.parse(here.text()) : undefined;
      const isNew = config?.bundles?.mine.description === description;
      if (!isNew) expect(config).toEqual(existed ? {} : undefined);
    }
  }));
});
