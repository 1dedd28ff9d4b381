import { expect } from "@std/expect";
import { fileKind } from "../../../../../src/toolkit/files/read/file_kind.ts";
import { shortText } from "../../../../../src/toolkit/files/read/short_text.ts";

const PDF = "%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n";

/** Files in Latin-1, and whether they are PDF documents. */
const files: readonly (readonly [name: string, content: string, isPdf: boolean])[] = [
  ["a document", PDF, true],
  ["a document after blank lines", `\n\n${PDF}`, true],
  ["a document after the headers of HTTP", `HTTP/1.1 200 OK\r\nServer: x\r\n\r\n${PDF}`, true],
  ["a document after junk without a line end", `junk${PDF.trimEnd()}`, true],
  ["a document with comments before its first object", `x\n${PDF.replace("\n", "\n% a\n")}`, true],
  ["a late document with bytes that are not UTF-8", `junk\n%PDF-1.7\n%\xe2\xe3\n1 0 obj\n`, true],
  ["a late document whose stream is not UTF-8", `x${PDF}${"y".repeat(5000)}\xff`, true],
  ["a document that begins too late", "x".repeat(1025) + PDF, false],
  ["a source file that contains a document", `const pdf = \`${PDF}\`;\nexport { pdf };\n`, false],
  [
    "a text that mentions the mark",
    "A document begins with %PDF-1.4 and ends with\n%%EOF\n",
    false,
  ],
  ["many comments without a line end", `x%PDF-1.4\n${"% ".repeat(2000)}`, false],
];

Deno.test("fileKind() > a PDF document is recognized by a mark in the first 1,024 bytes", () => {
  for (const [name, content, isPdf] of files) {
    const bytes = Uint8Array.from(content, (character) => character.charCodeAt(0));
    expect([name, fileKind(bytes).is]).toEqual([name, isPdf ? "pdf" : "text"]);
    if (isPdf) {
      expect([name, shortText(bytes, { offset: 1, limit: 2000 })]).toEqual([name, undefined]);
    }
  }
});
