import { expect } from "@std/expect";
import { LogFile } from "../../../../src/runner/audit/log_file.ts";
import { temporaryDirectory } from "../../../support/temporary_directory.ts";

const room = 100;

Deno.test("audit file > an incomplete last line gets its newline before the next line", async () => {
  using directory = temporaryDirectory();
  const path = `${directory.path}/log`;
  Deno.writeTextFileSync(path, '{"whole":1}\n{"to');
  for (const line of ['{"a":1}\n', '{"b":2}\n']) {
    const log = LogFile.open(path, { room });
    expect(await log.append(line)).toBe(true);
    log.close();
  }
  expect(Deno.readTextFileSync(path)).toBe('{"whole":1}\n{"to\n{"a":1}\n{"b":2}\n');
});

Deno.test("audit file > earlier lines stay, and the next call after a rename makes a new file", async () => {
  using directory = temporaryDirectory();
  const path = `${directory.path}/log`;
  const append = async (line: string) => {
    const log = LogFile.open(path, { room });
    if (line === "c\n") Deno.renameSync(path, `${path}.1`);
    await log.append(line);
    log.close();
  };
  for (const line of ["a\n", "b\n", "c\n", "d\n"]) await append(line);
  expect(Deno.readTextFileSync(`${path}.1`)).toBe("a\nb\nc\n");
  expect(Deno.readTextFileSync(path)).toBe("d\n");
});

Deno.test("audit file > only a regular file that may still grow is opened", () => {
  using directory = temporaryDirectory();
  const at = (name: string) => `${directory.path}/${name}`;
  Deno.writeTextFileSync(at("full"), "x".repeat(50));
  Deno.symlinkSync(at("full"), at("link"));
  Deno.symlinkSync(at("nothing"), at("dangling"));
  Deno.mkdirSync(at("folder"));
  new Deno.Command("mkfifo", { args: [at("pipe")] }).outputSync();
  const rows: [path: string, why: RegExp][] = [
    [at("link"), /^it is a symbolic link/],
    [at("dangling"), /^it is a symbolic link/],
    [at("folder"), /^it is not a regular file$/],
    [at("pipe"), /^it is not a regular file$/],
    ["/dev/full", /^it is not a regular file$/],
    [at("none/log"), /^No such file or directory/],
    [at("full"), /^it holds 50 bytes, and --limit=file-size/],
  ];
  for (const [path, why] of rows) {
    expect(() => LogFile.open(path, { room, most: 149 })).toThrow(why);
  }
  expect([...Deno.readDirSync(directory.path)].map(({ name }) => name).includes("nothing")).toBe(
    false,
  );
  LogFile.open(at("full"), { room, most: 150 }).close();
});
