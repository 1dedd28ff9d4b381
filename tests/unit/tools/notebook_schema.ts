import { Ajv2020 } from "ajv/dist/2020.js";

const text = { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] };
const count = { type: ["integer", "null"], minimum: 0 };
const bundle = {
  type: "object",
  patternProperties: { "^application/(.*\\+)?json$": true },
  additionalProperties: text,
};

/** The schema of an object with exactly these members. A name that ends in `?` is optional. */
function record(members: Record<string, unknown>): Record<string, unknown> {
  const names = Object.keys(members);
  return {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name.replace("?", ""), members[name]])),
    required: names.filter((name) => !name.endsWith("?")),
    additionalProperties: false,
  };
}

const outputs = {
  type: "array",
  items: {
    oneOf: [
      record({ output_type: { const: "stream" }, name: { type: "string" }, text }),
      record({ output_type: { const: "display_data" }, data: bundle, metadata: {} }),
      record({
        output_type: { const: "execute_result" },
        ...{ data: bundle, metadata: {}, execution_count: count },
      }),
      record({
        output_type: { const: "error" },
        ename: { type: "string" },
        evalue: { type: "string" },
        traceback: { type: "array", items: { type: "string" } },
      }),
    ],
  },
};

/** The schema of a notebook of format 4 with a minor number, by the specification. */
function notebookSchema(minor: number): Record<string, unknown> {
  const id = { type: "string", pattern: "^[a-zA-Z0-9-_]+$", minLength: 1, maxLength: 64 };
  const common = { metadata: { type: "object" }, source: text, ...(minor >= 5 && { id }) };
  const attachments = minor >= 1 && {
    "attachments?": { type: "object", additionalProperties: bundle },
  };
  return record({
    metadata: { type: "object" },
    nbformat: { const: 4 },
    nbformat_minor: { const: minor },
    cells: {
      type: "array",
      items: {
        oneOf: [
          record({ cell_type: { const: "raw" }, ...common, ...attachments }),
          record({ cell_type: { const: "markdown" }, ...common, ...attachments }),
          record({ cell_type: { const: "code" }, ...common, outputs, execution_count: count }),
        ],
      },
    },
  });
}

const ajv = new Ajv2020({ strict: false });
const validators = [0, 1, 2, 3, 4, 5].map((minor) => ajv.compile(notebookSchema(minor)));

/** The faults of a notebook by the schema of its minor number, and duplicate ids. */
export function notebookFaults(text: string): string[] {
  const notebook = JSON.parse(text.replace(/^\ufeff/, ""));
  const validate = validators[notebook.nbformat_minor];
  if (!validate) return [`nbformat_minor ${notebook.nbformat_minor} is not known`];
  const faults = validate(notebook)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  const ids = notebook.cells.flatMap(({ id }: { id?: string }) => id ?? []);
  return new Set(ids).size === ids.length ? faults : [...faults, "Two cells have the same id"];
}
