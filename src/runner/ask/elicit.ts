import { CallError } from "../../base/errors.ts";
import { isObject } from "../../base/json/is_object.ts";
import { escapeControls } from "../../base/text/escape_controls.ts";
import { quote } from "../../base/text/quote.ts";
import type { Question } from "../registry/services.ts";

/** The most characters of a server's text that are shown, and the most fields of a form. */
const [MAX_TEXT, MAX_FIELDS] = [2_000, 20];

/** The words of a field that asks for a secret. MCP forbids servers to ask for one by a form. */
const SECRET =
  /pass(word|phrase|code)|\bpwd\b|secret|token|api.?key|private.?key|credential|credit.?card|\bcvv\b|\bpin\b|\bssn\b/i;

/** The answers by which the user gives none. */
const [DECLINE, SKIP] = ["Decline", "Skip"];

/** The result of MCP's `elicitation/create`. */
export interface ElicitAnswer {
  /** Whether the user has answered. */
  action: "accept" | "decline";
  /** The values of the form. */
  content?: Record<string, unknown>;
}

type Field = Record<string, unknown>;

/**
 * Shows the form of an MCP server to the user as questions, and returns the answers as the form
 * wants them. The texts of the server are data: each question names the server, and control
 * characters are escaped. Throws `permission_denied` for a form that asks for a secret, and
 * `tool_failed` for a form that cannot be shown and for an answer that does not fit.
 */
export async function elicit(
  server: string,
  params: Record<string, unknown>,
  ask: (questions: Question[]) => Promise<Record<string, string>>,
): Promise<ElicitAnswer> {
  const fields = fieldsOf(server, params);
  const required = requiredIn(params);
  const message = textOf(params["message"]);
  const questions = fields.map(([name, field], at) =>
    questionOf(name, field, { server, message, at, isRequired: required.includes(name) })
  );
  const answers = await ask(questions);
  const content: Record<string, unknown> = {};
  for (const [at, [name, field]] of fields.entries()) {
    const answer = answers[questions[at]!.question] ?? "";
    if (answer === DECLINE) return { action: "decline" };
    if (answer !== SKIP) content[name] = valueOf(answer, field, { server, name });
  }
  return { action: "accept", content };
}

/**
 * Checks a form of a server for another program that shows it. Returns its message, which names the
 * server. Throws as {@link elicit}.
 */
export function checkForm(server: string, params: Record<string, unknown>): string {
  fieldsOf(server, params);
  return `The MCP server "${server}" asks: ${textOf(params["message"])}`;
}

function fieldsOf(server: string, params: Record<string, unknown>): [string, Field][] {
  const fail = (why: string) =>
    new CallError("tool_failed", `Cannot show the form of the MCP server ${quote(server)}: ${why}`);
  const { requestedSchema: schema, mode = "form" } = params;
  if (mode !== "form") throw fail("only forms are supported");
  const properties = isObject(schema) ? schema["properties"] : undefined;
  if (!isObject(properties)) throw fail("it has no fields");
  const fields = Object.entries(properties);
  if (fields.length === 0) return [["confirm", { type: "boolean", title: "Continue?" }]];
  if (fields.length > MAX_FIELDS) throw fail(`it has more than ${MAX_FIELDS} fields`);
  return fields.map(([name, field]) => {
    if (!isObject(field)) throw fail(`its field ${quote(name)} is no schema`);
    const words = [name, field["title"], field["description"]].filter((each) =>
      typeof each === "string"
    );
    // Names of fields have no spaces: "apiKey", "api_key".
    const secret = words.find((each) =>
      SECRET.test(each.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/[_-]/g, " "))
    );
    if (secret === undefined) return [name, field];
    throw new CallError(
      "permission_denied",
      `The MCP server ${quote(server)} asks for what looks like a secret (${
        quote(secret, 100)
      }); ` +
        "a form must not ask for secrets, so it was not shown. Set the secret in the server's configuration",
      { server },
    );
  });
}

function requiredIn({ requestedSchema: schema }: Record<string, unknown>): readonly unknown[] {
  const required = isObject(schema) ? schema["required"] : undefined;
  return Array.isArray(required) ? required : [];
}

function questionOf(
  name: string,
  field: Field,
  { server, message, at, isRequired }: {
    server: string;
    message: string;
    at: number;
    isRequired: boolean;
  },
): Question {
  const choices = choicesOf(field);
  const title = textOf(field["title"]) || name;
  const description = textOf(field["description"]);
  const lines = [
    `The MCP server "${server}" asks: ${at === 0 ? message : ""}`.trim(),
    `${title}${description === "" ? "" : ` (${description})`}`,
  ];
  const preset = field["default"];
  // The default comes first, so that it is chosen without moving.
  const sorted = choices.toSorted((a, b) =>
    Number(b.value === preset) - Number(a.value === preset)
  );
  const hasPreset = preset !== undefined && sorted[0]?.value !== preset;
  return {
    question: lines.join("\n"),
    header: `${at + 1}. ${title}`.slice(0, 12),
    options: [
      ...(hasPreset ? [{ label: textOf(String(preset)), description: "The default" }] : []),
      ...sorted.map(({ label }) => ({ label, description: "" })),
      ...(isRequired ? [] : [{ label: SKIP, description: "Leave this field empty" }]),
      { label: DECLINE, description: "Answer nothing" },
    ],
    multiSelect: field["type"] === "array",
  };
}

/** The allowed values of a field, with the labels that are shown. */
function choicesOf(field: Field): { label: string; value: unknown }[] {
  if (field["type"] === "boolean") {
    return [{ label: "Yes", value: true }, { label: "No", value: false }];
  }
  const schema = field["type"] === "array" && isObject(field["items"]) ? field["items"] : field;
  const titled = schema["oneOf"] ?? schema["anyOf"];
  if (Array.isArray(titled)) {
    return titled.filter(isObject).map((each) => ({
      label: textOf(each["title"]) || String(each["const"]),
      value: each["const"],
    }));
  }
  const { enum: values, enumNames: names } = schema;
  if (!Array.isArray(values)) return [];
  return values.map((value, at) => ({
    label: (Array.isArray(names) && textOf(names[at])) || textOf(String(value)),
    value,
  }));
}

function valueOf(
  answer: string,
  field: Field,
  { server, name }: { server: string; name: string },
): unknown {
  const fail = (what: string) => {
    const why = `the answer ${quote(answer, 100)} for ${quote(name)} is not ${what}`;
    return new CallError("tool_failed", `The form of the MCP server ${quote(server)}: ${why}`);
  };
  const choices = choicesOf(field);
  const choiceOf = (label: string) => {
    const found = choices.find((choice) => choice.label === label || choice.value === label);
    if (found === undefined) throw fail(`one of ${choices.map(({ label }) => label).join(", ")}`);
    return found.value;
  };
  if (field["type"] === "array") return answer.split(", ").map(choiceOf);
  if (choices.length > 0) return choiceOf(answer);
  if (field["type"] === "number" || field["type"] === "integer") {
    const number = answer.trim() === "" ? NaN : Number(answer);
    const { minimum = -Infinity, maximum = Infinity } = field as Record<string, number>;
    const isWhole = field["type"] === "number" || Number.isSafeInteger(number);
    if (Number.isFinite(number) && isWhole && number >= minimum && number <= maximum) return number;
    throw fail(field["type"] === "integer" ? "a whole number in range" : "a number in range");
  }
  const { minLength = 0, maxLength = Infinity } = field as Record<string, number>;
  if (answer.length < minLength || answer.length > maxLength) {
    throw fail(`a string of ${minLength} to ${maxLength} characters`);
  }
  return answer;
}

/** Returns a string of a server as it may be shown. */
function textOf(value: unknown): string {
  if (typeof value !== "string") return "";
  const text = escapeControls(value).trim();
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}
