/** Attack row C9: hostile argument values against the templates of command tools. */
// tier: machine
import { expect } from "@std/expect";
import { temporaryDirectory, toolcall } from "../../../support/executable.ts";
import { trustFile } from "../../../support/trust.ts";

/** Strings that a shell, an option parser or a log could misread. */
const pieces = [
  ...["-", "--", "-c", "-e", "-rf", "--help", "--version", "-v x", "--x=1", "-o=/etc/passwd"],
  ...["-n", "--output=canary", "-exec", "-\n", "-\u0000", "--\u0000--", "-\u00e9", "-$(id)"],
  ...["$(touch canary)", "`touch canary`", "${IFS}touch${IFS}canary", "$IFS", "$0", "$@", "$1"],
  ...["; touch canary", "& touch canary", "| touch canary", "&& touch canary", "|| touch canary"],
  ...["\ntouch canary", "\r\ntouch canary", "\n\n", "\ttouch canary", "a\nb", "a\rb", "\u2028a"],
  ...["'", '"', "''", '""', "'; touch canary; '", '"; touch canary; "', "\\", "\\\\", "\\'"],
  ...["> canary", ">> canary", "< /etc/passwd", "2>&1", "<(touch canary)", ">(touch canary)"],
  ...["*", "?", "[a-z]*", "~", "~root", "{a,b}", "{v}", "{{v}}", "{v?-x}", "%s%s%n", "%d", "%"],
  ...["$((1+1))", "$[1+1]", "!!", "!id", "#", "# x", "^", "a b", " ", "  -x", "\t-x", "", "\u00a0"],
  ...["../../etc/passwd", "/etc/passwd", "file:///etc/passwd", "@/etc/passwd", "@canary", "+x"],
  ...["\u0000", "a\u0000b", "\u0000touch canary", "\u001b[2J", "\u0007", "\u007f", "\u009b2J"],
  ...["\u202e-x", "\ufeff-x", "\u200b-x", "\u2010x", "\u2013x", "\u2014x", "\uff0dx", "\u2212x"],
  ...["\ud83d\ude00", "e\u0301", "null", "undefined", "true", "0", "__proto__", "constructor"],
  ...["x".repeat(20_000), "-".repeat(20_000), "$(id)".repeat(4_000), "x".repeat(2 ** 20)],
  ...["-".repeat(2 ** 20), "\u00e9".repeat(2 ** 19), "x".repeat(131_072), "\n".repeat(200_000)],
];

/** Each piece as it is, and after another character. */
const values = [...new Set(pieces.flatMap((piece) => [piece, `a${piece}`]))];

const MAX_BYTES = 131_071;
const bytes = (text: string) => new TextEncoder().encode(text).length;

/** The templates, each with its output for a value, or undefined if the value must be refused. */
const templates: Record<string, { run: string[]; prints(value: string): string | undefined }> = {
  free: {
    run: ["printf", "<%s>", "{v}", "end"],
    prints: (value) => value.startsWith("-") ? undefined : `<${value}><end>`,
  },
  listed: {
    run: ["printf", "<%s>", "{list}", "end"],
    prints: (value) => value.startsWith("-") ? undefined : `<a><${value}><end>`,
  },
  after: { run: ["printf", "--", "<%s>", "{v}"], prints: (value) => `<${value}>` },
  attached: { run: ["printf", "<%s>", "--x={v}"], prints: (value) => `<--x=${value}>` },
  within: { run: ["printf", "<%s>", "a/{v}/b"], prints: (value) => `<a/${value}/b>` },
  shell: {
    run: ["sh", "-c", 'printf "<%s>" "$@"', "sh", "--", "{v}"],
    prints: (value) => `<--><${value}>`,
  },
};

Deno.test("attack C9 > no value becomes an option or a second command", async () => {
  expect(values.length).toBeGreaterThanOrEqual(200);
  using directory = temporaryDirectory();
  const schema = {
    type: "object",
    properties: { v: { type: "string" }, list: { type: "array", items: { type: "string" } } },
  };
  const commands = Object.fromEntries(
    Object.entries(templates).map((
      [name, { run }],
    ) => [name, { description: "Prints.", run, inputSchema: schema }]),
  );
  Deno.writeTextFileSync(`${directory.path}/toolcall.json`, JSON.stringify({ commands }));
  trustFile(`${directory.path}/toolcall.json`);
  const cases = Object.keys(templates).flatMap((name) => values.map((value) => ({ name, value })));
  const lines = cases.map(({ name, value }, id) =>
    JSON.stringify({ id: `${id}`, name, arguments: { v: value, list: ["a", value] } })
  );
  const { stdout } = await toolcall(["submit", "-A"], {
    cwd: directory.path,
    stdin: `${lines.join("\n")}\n`,
  });
  const results = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  expect(results.length).toBe(cases.length);
  const escaped: string[] = [];
  let refused = 0;
  for (const [id, { name, value }] of cases.entries()) {
    const { isError, content, _meta } = results.find((each) => each.id === `${id}`);
    const printed = templates[name]!.prints(value);
    const isImpossible = value.includes("\0") || bytes(printed ?? value) - 2 > MAX_BYTES;
    if (printed === undefined || isImpossible) {
      refused++;
      const code = _meta?.["toolcall/error"]?.code;
      if (isError !== true || code !== "invalid_arguments") escaped.push(`${name}: ${value}`);
    } else if (isError || content[0].text !== printed) {
      escaped.push(`${name}: ${value.slice(0, 80)} gave ${content[0].text.slice(0, 200)}`);
    }
  }
  expect(escaped).toEqual([]);
  expect([...Deno.readDirSync(directory.path)].map(({ name }) => name)).toEqual(["toolcall.json"]);
  // deno-lint-ignore no-console
  console.log(`${cases.length} attacks: ${refused} refused, ${escaped.length} escaped`);
});
