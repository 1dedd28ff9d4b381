import { isObject } from "../../base/json/is_object.ts";
import { frozenCopy } from "../../base/frozen_copy.ts";
import {
  declarationFaults,
  declarationFields,
  type DeclarationRules,
  isFunction,
  isListOf,
  isOneOf,
  isText,
} from "./declaration.ts";
import type { ToolDefinition } from "./define.ts";
import { definitionTool } from "./definition_tool.ts";
import type { RegistryEntry } from "./registered_tool.ts";
import { InvalidToolError } from "./registry_errors.ts";

/** The rules of declarations in another program. */
const RULES: DeclarationRules = {
  name: [isText, "must be a string that is not empty"],
  mayBeHidden: true,
  kinds: ["read", "write", "net", "run", "env", "sys", "mcp"],
  otherKinds: {},
  fields: [
    ["uses", isListOf(isText), "must be a list of services"],
    ["helper", isOneOf(["rg"]), 'must be "rg"'],
    ["offered", isOneOf(["vendor", "compat"]), 'must be "vendor" or "compat"'],
    ["shell", (value) => typeof value === "boolean", "must be true or false"],
    [
      "background",
      (value) => typeof value === "boolean" || value === "always",
      'must be true, false or "always"',
    ],
    ["changes", isFunction, "must be a function"],
    [
      "shortFile",
      (value) =>
        isObject(value) && typeof value["maxBytes"] === "number" && isFunction(value["show"]),
      'must be an object with the number "maxBytes" and the function "show"',
    ],
  ],
  refused: {},
  page: "docs/api.md",
};

/**
 * Makes a registry entry of a copy of a definition: later changes of the definition change nothing.
 * The schema is compiled when the first call needs it. A call fails with `unavailable` if the schema
 * cannot be compiled.
 *
 * @throws {InvalidToolError} with each field that is missing or wrong.
 *
 * @example
 * ```ts
 * import { entryOf, Registry, simpleTool } from "@toolcall/toolcall";
 *
 * const registry = new Registry();
 * registry.register(entryOf(simpleTool("add", "Adds a and b.", ({ a, b }) => Number(a) + Number(b))));
 * if (!registry.has("add")) throw new Error("The tool is missing");
 * ```
 */
export function entryOf(definition: ToolDefinition<never>): RegistryEntry {
  return definitionEntry(definition);
}

/** The entry of a definition, whose code the module at a URL has too. */
export function definitionEntry(given: unknown, module?: string): RegistryEntry {
  const own = module === undefined ? {} : { module };
  const definition = checkedCopy(given);
  const { name, aliases = [], offered, sideEffect, requires = [] } = definition;
  const tool = Object.freeze(Object.assign(definitionTool(definition), own));
  const load = () => Promise.resolve(tool);
  return { name, aliases, ...(offered && { offered }), sideEffect, requires, ...own, load };
}

/** A copy of a valid definition that nobody can change. Throws {@link InvalidToolError}. */
function checkedCopy(given: unknown): ToolDefinition<never> {
  if (!isObject(given)) {
    throw new InvalidToolError(undefined, ["it must be a definition of defineTool or simpleTool"]);
  }
  const faults = declarationFaults(given, RULES);
  if (faults.length > 0) {
    throw new InvalidToolError(given["name"], faults.map(({ message }) => message));
  }
  // An instance of a class has its functions in its prototype.
  const fields = declarationFields(RULES).filter((field) => given[field] !== undefined);
  return frozenCopy(given, fields) as unknown as ToolDefinition<never>;
}
