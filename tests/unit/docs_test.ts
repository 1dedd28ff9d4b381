/** The pages name files that exist, and a reader of the README can reach each of them. */
import { expect } from "@std/expect";
import { filesBelow } from "../../scripts/files_below.ts";

const root = new URL("../../", import.meta.url);
const pages = ["README.md", "CONTRIBUTING.md", ...filesBelow("docs")];
const has = (path: string) => filesBelow(path).length > 0;

/** Placeholders, files that the reader writes, and methods of MCP. */
const PLACEHOLDER = /NAME|[*<]|word_count|^tools\/(call|list)$/;

/** The files of the checkout that a page names in its text, and the tests in its brackets. */
function namedIn(page: string): string[] {
  const text = Deno.readTextFileSync(new URL(page, root)).replaceAll(/```[^]*?```/g, "");
  const paths = [...text.matchAll(/[`>]((?:src|tools|tests|scripts|docs)\/[^`\s<]+)[`<]/g)];
  const inBrackets = [...text.matchAll(/\[([^\[\]]*\.ts[^\[\]]*)\](?!\()/g)].flatMap(([, list]) =>
    [...list!.matchAll(/[\w/]+\.ts/g)].map(([path]) => `tests/${path}`)
  );
  return [...paths.map(([, path]) => path!), ...inBrackets]
    .filter((path) => !PLACEHOLDER.test(path));
}

function isMissing(path: string): boolean {
  try {
    return !has(path.replace(/\/$/, ""));
  } catch {
    return true;
  }
}

Deno.test("documentation > every file and every test that a page names exists", () => {
  const named = pages.flatMap((page) => namedIn(page).map((path) => ({ page, path })));
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter(({ path }) => isMissing(path))).toEqual([]);
});

/** The pages that a page links to, as paths from the root. */
function linksIn(page: string): string[] {
  const text = Deno.readTextFileSync(new URL(page, root)).replaceAll(/```[^]*?```/g, "");
  return [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, target]) => target!)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => new URL(target, new URL(page, root)).href.slice(root.href.length));
}

Deno.test("documentation > every link leads to a file, and links from the README reach every page", () => {
  const reached = new Set(["README.md"]);
  for (const page of reached) {
    for (const target of page.endsWith(".md") ? linksIn(page) : []) {
      expect({ page, target, exists: !isMissing(target) }).toEqual({ page, target, exists: true });
      reached.add(target);
    }
  }
  const all = filesBelow("docs").filter((path) => path.endsWith(".md"));
  expect(all.filter((path) => !reached.has(path))).toEqual([]);
});
