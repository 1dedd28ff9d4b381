/** Text in UTF-16 with a byte order mark. */
import { expect } from "@std/expect";
import { call, temporaryDirectory } from "../../support/executable.ts";

const TEXT = "\ufeffhi there\r\ncafé 𝒳\r\n";

function encoded(text: string, isLittle: boolean): Uint8Array {
  const view = new DataView(new ArrayBuffer(text.length * 2));
  for (let at = 0; at < text.length; at++) view.setUint16(at * 2, text.charCodeAt(at), isLittle);
  return new Uint8Array(view.buffer);
}

for (const [name, isLittle] of [["little", true], ["big", false]] as const) {
  Deno.test(`wide text > UTF-16 text (${name}-endian) is read, and edited in its encoding`, async (t) => {
    using directory = temporaryDirectory();
    const file_path = `${directory.path}/text`;
    const options = {
      flags: [`--allow-read=${directory.path}`, `--allow-write=${directory.path}`],
      cwd: directory.path,
    };
    const kind = `[The file is UTF-16 text (${name}-endian)`;
    Deno.writeFileSync(file_path, encoded(TEXT, isLittle));
    await t.step("Read", async () => {
      const { text } = await call("Read", { file_path }, options);
      expect(text).toContain("     1\thi there\n     2\tcafé 𝒳\n");
      expect(text).toContain(kind);
    });
    await t.step("fs.read and file", async () => {
      const calls: [string, object][] = [
        ["fs.read", { path: "text" }],
        ["file", { action: "read", path: "text" }],
      ];
      for (const [tool, args] of calls) {
        const { text, content } = await call(tool, { ...args }, options);
        expect(text).toBe(TEXT.slice(1));
        expect(content[1]!.text).toContain(kind);
      }
    });
    await t.step("Edit", async () => {
      const edit = { file_path, old_string: "there\ncafé", new_string: "you\ntea" };
      expect(await call("Edit", edit, options)).toMatchObject({ isError: false });
      const after = encoded("\ufeffhi you\r\ntea 𝒳\r\n", isLittle);
      expect([...Deno.readFileSync(file_path)]).toEqual([...after]);
    });
  });
}

Deno.test("wide text > the result for invalid UTF-16 says so, and not that Edit keeps the encoding", async () => {
  using directory = temporaryDirectory();
  const options = { flags: [`--allow-read=${directory.path}`], cwd: directory.path };
  Deno.writeFileSync(`${directory.path}/text`, encoded("\ufeffa\ud800b\n", true));
  const note =
    "[The file is UTF-16 text (little-endian), not all of it valid: the rest is shown as \ufffd]";
  const read = await call("Read", { file_path: `${directory.path}/text` }, options);
  expect(read.text).toBe(`     1\ta\ufffdb\n\n${note}`);
  const { content } = await call("fs.read", { path: "text" }, options);
  expect(content.map(({ text }) => text)).toEqual(["a\ufffdb\n", note]);
});

Deno.test("wide text > the refusal of a binary file does not suggest Read", async () => {
  using directory = temporaryDirectory();
  Deno.writeFileSync(`${directory.path}/nul.bin`, Uint8Array.from([65, 0, 66]));
  const options = { flags: [`--allow-read=${directory.path}`], cwd: directory.path };
  const { text, isError } = await call("fs.read", { path: "nul.bin" }, options);
  expect(isError).toBe(true);
  expect(text).not.toContain("Read");
});
