/** Hostile PDF documents, which the executable reads. */
// tier: machine
import { fileURLToPath } from "node:url";
import { expect } from "@std/expect";
import { copyToWrite } from "../../support/example_world.ts";
import { call, temporaryDirectory } from "../../support/executable.ts";

const fixtures = fileURLToPath(new URL("../../fixtures/pdf/", import.meta.url));
const at = (name: string) => `${fixtures}${name}.pdf`;

/** A PDF document of these objects, the first of which is its catalog. */
function pdfOf(...objects: string[]): string {
  const catalog = "<</Type/Catalog/Pages 2 0 R>>";
  const body = [catalog, ...objects].map((object, i) => `${i + 1} 0 obj\n${object}\nendobj\n`);
  return `%PDF-1.7\n${body.join("")}trailer\n<</Size ${body.length + 1}/Root 1 0 R>>\n%%EOF\n`;
}

const stream = (content: string, entries = "") =>
  `<<${entries}/Length ${content.length}>>stream\n${content}\nendstream`;
const page = (resources: string) =>
  `<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<<${resources}>>>>`;
const font = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>";
const sayHi = stream("BT /F 12 Tf 72 700 Td (Hi) Tj ET");
const form = (content: string, resources: string) =>
  stream(content, `/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<<${resources}>>`);
/** Forms, each of which shows the next one ten times: 10 to the 24th words in total. */
const laughs = Array.from(
  { length: 24 },
  (_, i) =>
    i < 23
      ? form("/X Do ".repeat(10), `/XObject<</X ${6 + i} 0 R>>`)
      : form("BT /F 12 Tf (ha) Tj ET", `/Font<</F 99 0 R>>`),
);

Deno.test("read pdf > the cost of a hostile document is bounded, and the executable gives the reason", async (t) => {
  using directory = temporaryDirectory();
  const path = `${directory.path}/hostile.pdf`;
  const write = (text: string) => () => Deno.writeTextFileSync(path, text);
  const rows: [name: string, write: () => void, says: string, isError: boolean][] = [
    [
      "4 GiB of spaces, deflated twice",
      () => copyToWrite(at("bomb"), path),
      "from page 1 of 1 on: it takes more than 512 MiB of memory to read",
      true,
    ],
    [
      "forms within forms, almost endless",
      write(
        pdfOf(
          "<</Type/Pages/Kids[3 0 R]/Count 1>>",
          page("/XObject<</X 5 0 R>>"),
          stream("/X Do"),
          ...laughs,
        ),
      ),
      "from page 1 of 1 on: it takes more than",
      true,
    ],
    [
      "a tree of pages that contains itself",
      write(pdfOf("<</Type/Pages/Kids[2 0 R 2 0 R]/Count 1000000>>")),
      "[Page 1 of 1,000,000]\n[this page is damaged and cannot be read]",
      false,
    ],
    [
      "a million pages of which one exists",
      write(
        pdfOf("<</Type/Pages/Kids[3 0 R]/Count 1000000>>", page("/Font<</F 5 0 R>>"), sayHi, font),
      ),
      "[Page 1 of 1,000,000]\nHi\n\n[Page 2 of 1,000,000]\n[this page is damaged",
      false,
    ],
    [
      "three million nested dictionaries",
      write("%PDF-1.7\n" + "<<".repeat(3e6)),
      "it is damaged",
      true,
    ],
    [
      "no pages",
      write(pdfOf("<</Type/Pages/Kids[]/Count 0>>")),
      "it is damaged, or only its first bytes",
      true,
    ],
  ];
  for (const [name, write, says, isError] of rows) {
    for (const flags of [["-A"], [`--allow-read=${directory.path}`]]) {
      await t.step(`${name}, ${flags}`, async () => {
        write();
        const result = await call("Read", { file_path: path, pages: "1-3" }, { flags });
        expect(result.text).toContain(says);
        expect(result.isError).toBe(isError);
        expect([0, 1]).toContain(result.exit);
      });
    }
  }
});
