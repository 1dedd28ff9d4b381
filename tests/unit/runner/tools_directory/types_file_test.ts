/** The types for tools of a tools directory, compared with the types of the program. */
import { fileURLToPath } from "node:url";
import { expect } from "@std/expect";
import { BUILT_IN_ONLY } from "../../../../src/runner/tools_directory/declaration.ts";
import { DENO_JSON, TYPES, TYPES_NAME } from "../../../../src/runner/tools_directory/types_file.ts";

const root = new URL("../../../../", import.meta.url);
const registry = new URL("src/runner/registry/", root).href;

/** A tool that uses each form of schema. The types of its arguments must follow from the schema. */
const SOURCE = `import * as own from "toolcall";
import type { ToolContext } from "${registry}tool_context.ts";
import type { ToolDefinition } from "${registry}define.ts";
type Same<A, B> = [A, B] extends [B, A] ? true : never;
const tool = own.defineTool({
  name: "a", title: "A", category: "utility", sideEffect: "none", optionality: "optional",
  usageHint: "u", examples: [], permissions: { kinds: ["read"], needs: ({ text }) => [{ name: "read", path: text }] },
  inputSchema: {
    type: "object",
    properties: {
      text: { type: "string" },
      count: { type: "integer", default: 1 },
      list: { type: "array", items: { enum: ["a", "b"] } },
      either: { anyOf: [{ type: "boolean" }, { type: "null" }] },
    },
    required: ["text"],
  },
  run(args, ctx) {
    const text: Same<typeof args.text, string> = true;
    const count: Same<typeof args.count, number> = true;
    const list: Same<typeof args.list, ("a" | "b")[] | undefined> = true;
    const either: Same<typeof args.either, boolean | null | undefined> = true;
    return String([text, count, list, either, ctx.cwd]);
  },
});
// The program can call such a tool, and gives it all of its context.
export const context: own.ToolContext = null! as ToolContext;
export const definition: Omit<ToolDefinition<never>, "inputSchema"> = tool;
`;

Deno.test("types file > the types of arguments follow from the schema, and match the types of the program", async () => {
  const directory = Deno.makeTempDirSync({ prefix: "toolcall-test-" });
  try {
    const project = JSON.parse(
      Deno.readTextFileSync(new URL("deno.json", root)),
    );
    const { imports } = JSON.parse(DENO_JSON);
    const links = project.links.map((link: string) => fileURLToPath(new URL(link, root)));
    const config = { ...project, imports: { ...project.imports, ...imports }, links };
    Deno.writeTextFileSync(`${directory}/deno.json`, JSON.stringify(config));
    Deno.writeTextFileSync(`${directory}/${TYPES_NAME}`, TYPES);
    Deno.writeTextFileSync(`${directory}/a.ts`, SOURCE);
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["check", "--quiet", "--no-lock", "--config", `${directory}/deno.json`, "a.ts"],
      cwd: directory,
      env: { NO_COLOR: "1" },
    }).output();
    expect({ code, text: new TextDecoder().decode(stderr) }).toEqual({ code: 0, text: "" });
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
});

/** The members of an interface in a text, without those of inner types. */
function membersOf(name: string, text: string): string[] {
  const [, body] = new RegExp(`\\binterface ${name}\\b[^]*?\\{\n([^]*?)\n\\}`).exec(text) ?? [];
  return [...body!.matchAll(/^ {2}(?:readonly )?(\w+)\??[(:<]/gm)].map(([, member]) => member!)
    .sort();
}

/** The members of the program's types that a tool of a tools directory cannot use. */
const OMITTED: Readonly<Record<string, readonly string[]>> = {
  ToolDefinition: [
    // The declaration refuses these fields.
    ...Object.keys(BUILT_IN_ONLY),
    // They describe the sandbox of a built-in tool, or a published definition.
    ...["bounded", "ignores", "openWorld", "requires", "simple"],
  ],
  ToolContext: [
    // Such a tool starts no program.
    ...["followOutput", "isSandboxed", "onOutput", "spawn", "startHelper"],
    // Only tools with a helper need to know what the kernel closes.
    ...["closedPaths", "isSandboxOld", "kernelClosesPaths", "repositories"],
    // They belong to services.
    ...["ask", "call", "client", "edits", "listTools", "mcp", "memoryDirectory", "patches"],
    ...["settings", "shell", "store", "tasks", "todos"],
    // It asks for data of published definitions.
    "structured",
  ],
};

Deno.test("types file > each member of the program's types is in the file, or is omitted for a reason", () => {
  const files = { ToolDefinition: "define.ts", ToolContext: "tool_context.ts" };
  for (const [name, file] of Object.entries(files)) {
    const own = membersOf(name, Deno.readTextFileSync(new URL(registry + file)));
    expect(own.length).toBeGreaterThan(15);
    const all = [...membersOf(name, TYPES), ...OMITTED[name]!].sort();
    expect({ name, members: all }).toEqual({ name, members: own });
  }
});
