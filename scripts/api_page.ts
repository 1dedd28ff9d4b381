/** Makes the page `docs/api.md` from the output of `deno doc --json` for `src/api.ts`. */
import { fileURLToPath } from "node:url";

const root = new URL("../", import.meta.url);

/** The parts of the page, each with the kinds of symbols in it. */
const PARTS: readonly [title: string, kinds: readonly string[]][] = [
  ["Functions", ["function"]],
  ["Classes", ["class"]],
  ["Constants", ["variable"]],
  ["Types", ["interface", "typeAlias"]],
];

interface Doc {
  doc?: string;
  tags?: { kind: string; doc?: string; tsType?: { repr: string } }[];
}

interface Member {
  name: string;
  location: Location;
  jsDoc?: Doc;
  accessibility?: string;
}

interface Location {
  filename: string;
  byteIndex: number;
}

interface Symbol {
  name: string;
  declarations: {
    kind: string;
    location: Location;
    jsDoc?: Doc;
    def: { methods?: Member[]; properties?: Member[]; constructors?: Member[] };
  }[];
}

/** Returns the page in Markdown. Throws if a symbol has no doc comment. */
export async function apiPage(): Promise<string> {
  const { stdout, success } = await new Deno.Command(Deno.execPath(), {
    args: ["doc", "--json", fileURLToPath(new URL("src/api.ts", root))],
    cwd: root,
  }).output();
  if (!success) throw new Error("deno doc failed");
  const [module] = Object.values(JSON.parse(new TextDecoder().decode(stdout)).nodes) as [
    { module_doc: Doc; symbols: Symbol[] },
  ];
  const names = new Set(module.symbols.map(({ name }) => name));
  const parts = PARTS.map(([title, kinds]) => {
    const symbols = module.symbols
      .filter(({ declarations: [first] }) => kinds.includes(first!.kind))
      .sort((a, b) => a.name < b.name ? -1 : 1);
    return [`## ${title}`, ...symbols.map((symbol) => section(symbol, names))].join("\n\n");
  });
  return `# API\n\nThis page is about the package \`@toolcall/toolcall\`. "deno task generate" writes ` +
    `it. [library.md](library.md) is the guide.\n\n${docText(module.module_doc, names)}\n\n` +
    `${parts.join("\n\n")}\n`;
}

function section({ name, declarations: [declaration] }: Symbol, names: Set<string>): string {
  const { kind, location, jsDoc, def } = declaration!;
  if (jsDoc?.doc === undefined) throw new Error(`${name} has no doc comment`);
  const head = `### ${name}\n\n${docText(jsDoc, names)}`;
  if (kind !== "class") return `${head}\n\n${code(sourceOf(location, kind))}`;
  const members = [...def.constructors ?? [], ...def.properties ?? [], ...def.methods ?? []]
    .filter(({ accessibility }) => accessibility !== "private")
    .map((member) =>
      `${code(sourceOf(member.location, "function"))}\n\n${docText(member.jsDoc ?? {}, names)}`
    );
  return [`${head}\n\n${code(sourceOf(location, "function"))}`, ...members].join("\n\n");
}

/** The text of a doc comment with its tags. Links lead to the symbols of the page. */
function docText({ doc = "", tags = [] }: Doc, names: Set<string>): string {
  const linked = (text: string) =>
    text.trim().replace(
      /\{@link (\w+)\}/g,
      (_, name) => names.has(name) ? `[\`${name}\`](#${name.toLowerCase()})` : `\`${name}\``,
    );
  const fails = tags.filter(({ kind }) => kind === "throws")
    .map((tag) => `- Throws \`${tag.tsType?.repr ?? "Error"}\` ${linked(tag.doc ?? "")}`);
  const examples = tags.filter(({ kind }) => kind === "example").map((tag) =>
    linked(tag.doc ?? "")
  );
  return [linked(doc), fails.join("\n"), ...examples].filter((text) => text !== "").join("\n\n");
}

function code(text: string): string {
  return `\`\`\`ts\n${text}\n\`\`\``;
}

/** The source of a declaration: without the body if it is a function or a class. */
function sourceOf({ filename, byteIndex }: Location, kind: string): string {
  const bytes = Deno.readFileSync(new URL(filename));
  const text = new TextDecoder().decode(bytes.subarray(byteIndex));
  const isWhole = kind === "interface" || kind === "typeAlias" || kind === "variable";
  let depth = 0;
  for (const { index, 0: sign } of text.matchAll(/\/\*[^]*?\*\/|\/\/.*|"[^"\n]*"|[()[\]{};]/g)) {
    if (sign === "{" && depth === 0 && !isWhole) return clean(text.slice(0, index));
    if ("([{".includes(sign)) depth++;
    if (")]}".includes(sign)) depth--;
    const isEnd = sign === ";" || sign === "}" && kind === "interface";
    if (depth === 0 && isEnd) return clean(text.slice(0, index + 1));
  }
  throw new Error(`Cannot find the end of a declaration in ${filename}`);
}

/** A declaration without the word `export`. */
function clean(text: string): string {
  return text.trim().replace(/^export /, "");
}
