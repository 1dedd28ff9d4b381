/** The files of clients, as `mcp install` prints them and as it writes them, also at the same time. */
// tier: machine
import { expect } from "@std/expect";
import { temporaryDirectory } from "../../support/executable.ts";
import { fileOf, install, places, read } from "./home.ts";

Deno.test("mcp install > the command prints the file, and writes it only with --write", async (t) => {
  for (const [client, file] of places) {
    await t.step(client, async () => {
      using directory = temporaryDirectory();
      const home = directory.path;
      const printed = await install([client, "-R=/data", "--name=files"], { home });
      expect(printed.code).toBe(0);
      expect(printed.stderr).toContain(`this goes into "${home}/${file}"`);
      expect([...Deno.readDirSync(home)].map(({ name }) => name).sort()).toEqual([
        ...[".cache", "project"],
      ]);
      expect([...Deno.readDirSync(`${home}/project`)]).toEqual([]);
      await install([client, "-R=/data", "--name=files", "--write"], { home });
      expect(Deno.readTextFileSync(`${home}/${file}`)).toBe(printed.stdout);
    });
  }
});

Deno.test("mcp install > eight installs at the same time into a new file are all kept", async () => {
  using directory = temporaryDirectory();
  const names = Array.from({ length: 8 }, (_, at) => `server-${at}`);
  const runs = await Promise.all(
    names.map((name) =>
      install(["cursor", "-A", `--name=${name}`, "--write"], { home: directory.path })
    ),
  );
  expect(runs.map(({ code }) => code)).toEqual(names.map(() => 0));
  expect(Object.keys(read(fileOf("cursor", directory.path))["mcpServers"]!).sort()).toEqual(names);
});
