import { dirname } from "@std/path/posix/dirname";
import { join } from "@std/path/posix/join";
import { CallError, UsageError } from "../../base/errors.ts";
import { osErrorMessage } from "../../base/os_error_message.ts";
import { quote, quotePath } from "../../base/text/quote.ts";
import { NAME_RULE, TOOL_NAME } from "./declaration.ts";
import { TrustedDirectory } from "./trusted_files.ts";
import { DENO_JSON, TYPES, TYPES_NAME } from "./types_file.ts";

/**
 * Writes a sample tool of that name into a tools directory. Returns the path of the tool. Throws
 * {@link UsageError} for an invalid name, and as {@link writeToolFile} does.
 */
export function writeTool(name: string, directory: string): string {
  if (!TOOL_NAME.test(name)) throw new UsageError(`Cannot add ${quote(name)}: it ${NAME_RULE}`);
  const path = toolPath(name, directory);
  writeToolFile(path, sample(name));
  return path;
}

/** The path of a tool's file in a tools directory. */
export function toolPath(name: string, directory: string): string {
  return join(directory, `${fileName(name)}.ts`);
}

/**
 * Writes the file of a tool into its tools directory, with the types that it imports. Makes the
 * directory, for this user only. Throws {@link UsageError} for a directory that no call would use, if
 * the file is there already, and if a file cannot be written.
 */
export function writeToolFile(path: string, text: string): void {
  const directory = dirname(path);
  try {
    Deno.mkdirSync(directory, { recursive: true, mode: 0o700 });
    new TrustedDirectory(directory, { all: false, allow: {}, deny: {} });
    Deno.writeTextFileSync(path, text, { createNew: true, mode: 0o644 });
    Deno.chmodSync(path, 0o644);
    writeUnlessThere(join(directory, "deno.json"), DENO_JSON);
    Deno.writeTextFileSync(join(directory, TYPES_NAME), TYPES, { mode: 0o644 });
  } catch (error) {
    if (error instanceof CallError) throw new UsageError(error.message);
    const isThere = error instanceof Deno.errors.AlreadyExists;
    const why = isThere ? "it exists already; choose another name" : osErrorMessage(error);
    throw new UsageError(`Cannot write ${quotePath(path)}: ${why}`);
  }
}

/** The name of a file in snake case: `WordCount` is `word_count`. */
function fileName(name: string): string {
  return name.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2").replaceAll(/[^A-Za-z0-9]+/g, "_")
    .toLowerCase();
}

function writeUnlessThere(path: string, text: string): void {
  try {
    Deno.writeTextFileSync(path, text, { createNew: true, mode: 0o644 });
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
}

function sample(name: string): string {
  return `import { defineTool } from "toolcall";

export default defineTool({
  name: ${JSON.stringify(name)},
  title: ${JSON.stringify(name)},
  description: "Greets by name.",
  category: "utility",
  sideEffect: "none",
  optionality: "optional",
  usageHint: "When somebody must be greeted",
  inputSchema: {
    type: "object",
    properties: { name: { type: "string", minLength: 1, description: "The name to greet" } },
    required: ["name"],
    additionalProperties: false,
  },
  examples: [
    { description: "Greet Ada", input: { name: "Ada" }, expect: "Hello, Ada!" },
    {
      description: "An empty name is refused",
      input: { name: "" },
      expect: "must have at least 1 character",
      isError: true,
    },
  ],
  permissions: { kinds: [], needs: () => [] },
  run: ({ name }) => \`Hello, \${name}!\`,
});
`;
}
