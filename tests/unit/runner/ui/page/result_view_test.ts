/** The elements that the page makes of a result. The tests of the page draw them in a browser. */
import { expect } from "@std/expect";

// The modules of the page read the address when they are loaded.
Object.defineProperty(globalThis, "location", {
  value: new URL("http://127.0.0.1/"),
  writable: true,
});
const { Text } = await import("../../../../../src/runner/ui/page/result_view.tsx");

Deno.test("page > only the lines of a diff have classes, and all text is text", () => {
  const rows: [text: string, classes: string[] | undefined][] = [
    ["plain <b>text</b>", undefined],
    ["- a list\n+ more", undefined],
    ["--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n same", [
      ...["removed", "added", "place", "removed", "added", ""],
    ]],
  ];
  for (const [text, classes] of rows) {
    const { type, props } = Text({ text });
    const lines = [props.children].flat() as { props: { class: string; children: string } }[];
    expect([text, type]).toEqual([text, "pre"]);
    if (classes === undefined) expect(lines).toEqual([text]);
    else expect(lines.map((line) => line.props.class)).toEqual(classes);
  }
});
