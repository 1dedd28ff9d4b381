import { expect } from "@std/expect";
import { readAnyFile } from "../../../../../src/toolkit/files/read/read_any_file.ts";
import { shortFile, shortText } from "../../../../../src/toolkit/files/read/short_text.ts";
import { contextFor } from "../../../../support/tool_context.ts";
import { scratchDirectory } from "../../../../support/scratch_directory.ts";

Deno.test("shortText() > the result is undefined or the same as that of readAnyFile()", async () => {
  using directory = scratchDirectory();
  const path = `${directory.path}/file`;
  const parts = [
    ...[
      "a",
      "word ",
      "\n",
      "\n\n",
      "é",
      "𝒳",
      "\t",
      "x".repeat(1999),
      "x".repeat(2001),
      "%PDF-",
      "GIF8",
    ],
    ...[
      "\r\n",
      "\r",
      "\0",
      "\x1b[0m",
      "\ufeff",
      "PK",
      "line\n".repeat(30),
      "long line ".repeat(90) + "\n",
    ],
  ];
  let seed = 7;
  const random = (below: number) => (seed = (seed * 48271) % 2147483647) % below;
  let shown = 0;
  for (let round = 0; round < 1500; round++) {
    const plain = random(3) > 0 ? 7 : parts.length;
    let text = "";
    for (let part = random(9); part >= 0; part--) {
      text += parts[random(plain)]!.repeat(1 + random(3));
    }
    if (random(4) > 0) text += "\n";
    Deno.writeTextFileSync(path, text);
    const [offset, limit] = [1 + random(3) * random(20), [2000, 5, 1][random(3)]!];
    const bytes = shortFile(path);
    const short = bytes && shortText(bytes, { offset, limit });
    if (short === undefined) continue;
    shown++;
    expect(await readAnyFile(contextFor(directory.path), { given: path, offset, limit })).toBe(
      short,
    );
  }
  expect(shown).toBeGreaterThan(200);
});
