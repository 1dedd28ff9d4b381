/** A tool of a tools directory, and a directory in which it is called. */
import { call, temporaryDirectory, toolcall } from "../../../support/executable.ts";

/** The source of the tool. */
export const SHOUT = `import { defineTool } from "toolcall";
import { loud, Mark } from "./lib/loud.ts";

export default defineTool({
  name: "Shout",
  title: "Shout",
  description: "Says a text in capitals.",
  category: "utility",
  sideEffect: "none",
  optionality: "optional",
  usageHint: "When a text must be loud",
  inputSchema: {
    type: "object",
    properties: {
      text: { type: "string", maxLength: 9, description: "The text." },
      tags: { type: "array", items: { type: "string" }, uniqueItems: true, description: "Tags." },
    },
    required: ["text"],
    additionalProperties: false,
  },
  examples: [{ description: "Be loud", input: { text: "hi" }, expect: "HI!" }],
  permissions: { kinds: [], needs: () => [] },
  timeoutMs: 20_000,
  run: ({ text }) => loud(text, Mark.Exclamation),
});
`;

/** A directory with tools, and a working directory next to it. */
export function withTools(files: Record<string, string>) {
  const directory = temporaryDirectory();
  const [tools, work] = ["tools", "work"].map((name) => `${directory.path}/${name}`) as [
    string,
    string,
  ];
  Deno.mkdirSync(`${tools}/lib`, { recursive: true, mode: 0o700 });
  Deno.mkdirSync(work);
  Deno.writeTextFileSync(`${work}/notes.txt`, "one\ntwo\n");
  for (const [name, text] of Object.entries(files)) {
    Deno.writeTextFileSync(`${tools}/${name}`, text);
    Deno.chmodSync(`${tools}/${name}`, 0o644);
  }
  return {
    ...{ tools, work },
    run: (name: string, args: Record<string, unknown>, ...flags: string[]) =>
      call(name, args, { flags: [`--tools-dir=${tools}`, ...flags], cwd: work }),
    command: (...args: string[]) => toolcall([...args, `--tools-dir=${tools}`], { cwd: work }),
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}
