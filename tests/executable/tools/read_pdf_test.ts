/** PDF documents as Read shows them: real files, well-formed, damaged and hostile. */
import { fileURLToPath } from "node:url";
import { expect } from "@std/expect";
import { pdfPages } from "../../../src/toolkit/files/pdf/pdf_text.ts";
import read from "../../../tools/read.ts";
import { temporaryDirectory } from "../../support/temporary_directory.ts";
import { contextFor } from "../../support/tool_context.ts";

const fixtures = fileURLToPath(new URL("../../fixtures/pdf/", import.meta.url));
const at = (name: string) => `${fixtures}${name}.pdf`;
const limit50 = 50 * 1024;

async function show(file_path: string, pages?: string): Promise<string> {
  const args = { file_path, offset: 1, limit: 2000, ...(pages !== undefined && { pages }) };
  return await read.run(args, contextFor("/")) as string;
}

async function failure(file_path: string, pages?: string): Promise<Error> {
  try {
    await show(file_path, pages);
  } catch (error) {
    return error as Error;
  }
  throw new Error(`Reading "${file_path}" did not fail`);
}

Deno.test("read pdf > the text of each page is shown under its number", async (t) => {
  const letter = "[Page 1 of 1]\nDear reader,\nthis letter has one page and ends here.\n";
  const rows: [name: string, pages: string | undefined, text: string][] = [
    ["letter", undefined, letter],
    ["letter", "1", letter],
    ["letter", "1-20", letter],
    ["owner_password", undefined, letter],
    ["late_start", undefined, letter],
    [
      "twelve",
      "3",
      "[Page 3 of 12]\nChapter 3\nThis is the text of page 3.\n\n" +
      "[Shown up to page 3 of 12. To continue: pages 4-12]",
    ],
    [
      "twelve",
      "10-11",
      "[Page 10 of 12]\nChapter 10\nThis is the text of page 10.\n\n" +
      "[Page 11 of 12]\nChapter 11\nThis is the text of page 11.\n\n" +
      "[Shown up to page 11 of 12. To continue: pages 12]",
    ],
    ["twelve", "12-31", "[Page 12 of 12]\nChapter 12\nThis is the text of page 12.\n"],
    [
      "scripts",
      undefined,
      "[Page 1 of 2]\nΕλληνικά κείμενα\nРусский текст\nnaïve café — “quotes” fi €\n\n" +
      "[Page 2 of 2]\n日本語の文章\n東京都\n",
    ],
    [
      "half_scan",
      undefined,
      "[Page 1 of 2]\n[no text: this page may be a scan]\n\n" +
      "[Page 2 of 2]\nThe caption of the scan\n",
    ],
    [
      "scan",
      undefined,
      "[Page 1 of 2]\n[no text: this page may be a scan]\n\n" +
      "[Page 2 of 2]\n[no text: this page may be a scan]\n\n" +
      "[None of these pages contains text: the PDF may be a scan, which Read cannot show]",
    ],
  ];
  for (const [name, pages, text] of rows) {
    await t.step(`${name}, pages ${pages}`, async () => {
      expect(await show(at(name), pages)).toBe(text);
    });
  }
});

Deno.test("read pdf > an invalid range or an unreadable document fails with a reason", async (t) => {
  const rows: [name: string, pages: string | undefined, says: string][] = [
    [
      "twelve",
      undefined,
      " as a whole: the PDF has 12 pages; give pages, such as 1-12, of which a call shows 20 at most",
    ],
    ["twelve", "13", " from page 13: the PDF has 12 pages"],
    ["twelve", "13-14", " from page 13: the PDF has 12 pages"],
    ["letter", "2", " from page 2: the PDF has 1 page"],
    ["user_password", undefined, ": it is encrypted with a password; create a decrypted copy"],
    ["truncated", undefined, ": it is damaged, or only its first bytes are those of a PDF"],
  ];
  for (const [name, pages, says] of rows) {
    await t.step(`${name}, pages ${pages}`, async () => {
      const { message } = await failure(at(name), pages);
      expect(message).toContain(`Cannot read "${at(name)}"${says}`);
    });
  }
  const ranges = [
    ["5-3", "a range goes up, such as 3-5"],
    ["0", "page numbers start at 1"],
    ["0-3", "page numbers start at 1"],
    ["1-21", "these are 21 pages, and a call gives 20 at most"],
  ] as const;
  for (const [pages, says] of ranges) {
    await t.step(`pages ${pages}`, async () => {
      expect((await failure(at("twelve"), pages)).message).toContain(says);
    });
  }
  await t.step("the error's data has the number of pages", async () => {
    expect((await failure(at("twelve"))).cause).toEqual({ pages: 12 });
  });
});

Deno.test("read pdf > a call shows at most 50 KiB of whole pages, and names the remaining pages", async () => {
  const seen: number[] = [];
  let calls = 0;
  for (let pages: string | undefined = "1-6"; pages !== undefined; calls++) {
    const text = await show(at("long"), pages);
    expect(new TextEncoder().encode(text).length).toBeLessThanOrEqual(limit50);
    for (const part of text.split(/^\[Page /m).slice(1)) {
      const number = parseInt(part);
      seen.push(number);
      expect(part).toContain(`Page ${number}, line 0: `);
      expect(part).toContain(`Page ${number}, line 249: `);
    }
    pages = /50 KiB is the maximum per call\. To continue: pages ([\d-]+)\]$/.exec(text)?.[1];
  }
  expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
  expect(calls).toBeGreaterThan(1);
});

Deno.test("read pdf > a page over the limit is cut, and the result says by how much", async () => {
  const text = await show(at("endless_page"));
  expect(new TextEncoder().encode(text).length).toBeLessThanOrEqual(limit50);
  const cut = /^(.*) \[\.\.\. ([\d,]+) characters cut\]$/ms.exec(text)!;
  const whole = await firstPage(at("endless_page"));
  const kept = cut[1]!.replace("[Page 1 of 2]\n", "");
  expect(whole.startsWith(kept)).toBe(true);
  expect(Number(cut[2]!.replaceAll(",", ""))).toBe(whole.trimEnd().length - kept.length);
  expect(text).toContain("[Shown up to page 1 of 2");
  expect(text).toContain("To continue: pages 2]");
  expect(await show(at("endless_page"), "2")).toBe("[Page 2 of 2]\nThe last page\n");
});

async function firstPage(path: string): Promise<string> {
  const { signal } = new AbortController();
  const options = { attempt: "Cannot read", first: 1, last: 1, signal };
  for await (const { content } of pdfPages(Deno.readFileSync(path), options)) return content!.text;
  throw new Error("There is no page");
}

Deno.test("read pdf > a PDF is recognized by its first bytes, whatever its name", async (t) => {
  using directory = temporaryDirectory();
  const path = `${directory.path}/file.txt`;
  const pdf = Deno.readFileSync(at("letter"));
  const withHead = (head: string) =>
    new Uint8Array([...new TextEncoder().encode(head), ...pdf.values()]);
  const rows: [name: string, content: Uint8Array, isPdf: boolean][] = [
    ["no bytes before the header", pdf, true],
    ["blanks and a byte order mark before the header", withHead("\ufeff \r\n"), true],
    ["900 bytes before the header", withHead("x".repeat(900) + "\n"), true],
    ["2,000 bytes before the header", withHead("x".repeat(2000) + "\n"), false],
    ["a text that mentions the header", new TextEncoder().encode("starts with %PDF-1.7\n"), false],
  ];
  for (const [name, content, isPdf] of rows) {
    await t.step(name, async () => {
      Deno.writeFileSync(path, content);
      const text = await show(path);
      expect(text.startsWith(isPdf ? "[Page 1 of 1]\nDear reader,\n" : "     1\t")).toBe(true);
    });
  }
  await t.step("a text that begins like a PDF is reported as damaged", async () => {
    Deno.writeTextFileSync(path, "\n%PDF-1.7 is how it starts\n");
    expect((await failure(path)).message).toContain("it is damaged, or only its first bytes");
  });
  await t.step("a PDF with the name of a notebook", async () => {
    Deno.writeFileSync(`${directory.path}/file.ipynb`, pdf);
    expect(await show(`${directory.path}/file.ipynb`)).toContain("Dear reader");
  });
  await t.step("a PDF over 64 MiB is refused", async () => {
    Deno.writeFileSync(path, pdf);
    Deno.truncateSync(path, (64 << 20) + 1);
    expect((await failure(path)).message).toContain(
      "it has 64.0 MiB; a PDF of more than 64.0 MiB is not read; split it first",
    );
  });
});

Deno.test("read pdf > a wrong cross-reference table is rebuilt", async () => {
  using directory = temporaryDirectory();
  const path = `${directory.path}/moved.pdf`;
  const text = new TextDecoder("latin1").decode(Deno.readFileSync(at("twelve")));
  const moved = text.replace(/startxref\s+\d+/, "startxref\n7");
  expect(moved).not.toBe(text);
  Deno.writeFileSync(path, Uint8Array.from(moved, (unit) => unit.charCodeAt(0)));
  expect(await show(path, "12")).toContain("This is the text of page 12.");
});

Deno.test("read pdf > the reading of a document stops at its time limit, and when the call is cancelled", async (t) => {
  const bomb = Deno.readFileSync(at("bomb"));
  const pages = async (options: { signal?: AbortSignal; limitMs?: number }) => {
    const { signal = new AbortController().signal, ...rest } = options;
    for await (
      const _ of pdfPages(bomb, { attempt: "Cannot read it", first: 1, last: 1, signal, ...rest })
    );
  };
  await t.step("the time limit of a document", async () => {
    const error = await pages({ limitMs: 100 }).catch((error) => error);
    expect(error.message).toMatch(/^Cannot read it.*: it takes more than 0\.1 s to read$/);
  });
  await t.step("the call's signal", async () => {
    const error = await pages({ signal: AbortSignal.timeout(100) }).catch((error) => error);
    expect(error.name).toBe("TimeoutError");
  });
  await t.step("a signal that was aborted before", async () => {
    const error = await pages({ signal: AbortSignal.abort() }).catch((error) => error);
    expect(error.name).toBe("AbortError");
  });
});
