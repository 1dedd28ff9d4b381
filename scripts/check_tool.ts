/** Checks the module of a tool before the tool is registered. */
import { Ajv2020 } from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";
import formats from "ajv-formats";
import { capabilityNamed } from "../src/runner/capability/table.ts";
import type { ToolDefinition } from "../src/runner/registry/define.ts";
import { toolFile } from "./tool_index.ts";

const required = [
  ...["name", "title", "category", "sideEffect", "optionality", "usageHint"],
  ...["inputSchema", "examples", "permissions", "run"],
] as const;

function newAjv(): Ajv2020 {
  const ajv = new Ajv2020({
    strict: true,
    strictRequired: true,
    allErrors: true,
    useDefaults: true,
    ownProperties: true,
    code: { source: true, esm: true },
  });
  formats.default(ajv);
  return ajv;
}

/** The source of a module whose default export validates data with `schema`. */
export function compileSchema(schema: ToolDefinition["inputSchema"]): string {
  const ajv = newAjv();
  return standalone.default(
    ajv,
    ajv.compile(schema as Record<string, unknown>),
  );
}

/** Returns the faults of the module of `tools/<file>.ts`. A module without faults is registered. */
export function checkTool(
  file: string,
  module: Record<string, unknown>,
): string[] {
  const others = Object.keys(module).filter((name) => name !== "default");
  if (others.length > 0) {
    return [`exports ${others.join(", ")} besides its default`];
  }
  const tool = module["default"] as ToolDefinition | undefined;
  if (typeof tool !== "object" || tool === null) {
    return ["has no default export"];
  }
  const missing = required.filter((field) => tool[field] === undefined);
  if (missing.length > 0) {
    return missing.map((field) => `the field "${field}" is missing`);
  }
  if ([tool.name, ...tool.aliases ?? []].some((name) => name.trim() === "")) {
    return ["a name is empty"];
  }
  return [
    ...checkName(file, tool),
    ...checkRequires(tool),
    ...checkSchema(tool),
    ...checkOutputSchema(tool),
    ...(tool.simple === true ? checkSimple(tool) : checkExamples(tool)),
  ];
}

function checkName(file: string, tool: ToolDefinition): string[] {
  const expected = toolFile(tool.name);
  return expected === file ? [] : [`the tool "${tool.name}" belongs in tools/${expected}.ts`];
}

function checkRequires({ requires = [] }: ToolDefinition): string[] {
  return requires.filter((name) => capabilityNamed(name) === undefined).map((name) =>
    `it requires ${JSON.stringify(name)}, which is no capability: programs are called as in PATH`
  );
}

function checkSchema(tool: ToolDefinition): string[] {
  try {
    compileSchema(tool.inputSchema);
  } catch (error) {
    return [`the input schema is refused: ${(error as Error).message}`];
  }
  const faults: string[] = [];
  const schema = tool.inputSchema as Record<string, unknown>;
  if (schema["type"] !== "object") {
    faults.push("the input schema is not of type object");
  }
  const visit = (node: unknown, path: string): void => {
    if (typeof node !== "object" || node === null) return;
    const { properties, additionalProperties, items } = node as Record<
      string,
      unknown
    >;
    if (properties !== undefined && typeof additionalProperties !== "boolean") {
      faults.push(
        `the input schema needs "additionalProperties": false, or true, at ${path || "/"}`,
      );
    }
    for (const [name, property] of Object.entries(properties ?? {})) {
      if (typeof property.description !== "string") {
        faults.push(`the property ${path}/${name} has no description`);
      }
      visit(property, `${path}/${name}`);
    }
    visit(items, `${path}/items`);
  };
  visit(schema, "");
  return faults;
}

function checkOutputSchema({ outputSchema }: ToolDefinition): string[] {
  if (outputSchema === undefined) return [];
  try {
    compileSchema(outputSchema);
  } catch (error) {
    return [`the output schema is refused: ${(error as Error).message}`];
  }
  // MCP, "Tools", section "Output Schema": `structuredContent` is an object.
  const { type } = outputSchema as Record<string, unknown>;
  return type === "object" ? [] : ["the output schema is not of type object"];
}

/** Checks a function without metadata: it needs a description, because it is listed too. */
function checkSimple({ description, permissions }: ToolDefinition): string[] {
  const faults: string[] = [];
  if (description === undefined || description.trim() === "") {
    faults.push("the description is empty");
  }
  // A tool that uses MCP servers runs without a sandbox, so a simple tool must not use them.
  if (permissions.kinds.includes("mcp")) {
    faults.push('a simple tool cannot have the permission "mcp": use defineTool');
  }
  return faults;
}

function checkExamples(tool: ToolDefinition): string[] {
  if (tool.examples.length === 0) return ["it has no example"];
  const ajv = newAjv();
  const validate = ajv.compile(tool.inputSchema as Record<string, unknown>);
  return tool.examples.flatMap((example) => {
    const input = structuredClone(example.input);
    return rooted(validate, input) ? [] : [
      `the example "${example.description}" breaks its schema: ${ajv.errorsText(validate.errors)}`,
    ];
  });
}

function rooted(
  validate: (data: unknown) => boolean,
  input: Record<string, unknown>,
): boolean {
  return validate(
    JSON.parse(JSON.stringify(input).replaceAll("$ROOT", "/root")),
  );
}
