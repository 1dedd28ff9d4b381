/// <reference lib="dom" />
/** The input of one argument. */
import { useRef, useState } from "preact/hooks";
import { Alternatives, Cards, Chips } from "./composite_inputs.tsx";
import { Fields } from "./form.tsx";
import { JsonField } from "./json_field.tsx";
import type { ChangeValue, Schema } from "./page_types.ts";
import { api } from "./requests.ts";

/** The type of a schema, apart from null. */
export const typeOf = (schema: Schema) =>
  Array.isArray(schema.type) ? schema.type.find((each) => each !== "null") : schema.type;
const isPath = (name: string) => /path|directory|^file$|^cwd$|^root$/i.test(name);

/** The properties of an input: its value, and the function that changes it. */
export interface InputProps {
  /** The id of the element. */
  id: string;
  /** The name of the argument. */
  name: string;
  /** The JSON pointer of the value in the arguments. */
  path: string;
  /** The schema of the value. */
  schema: Schema;
  /** The value. */
  value: unknown;
  /** The faults of the arguments by their JSON pointers. */
  errors: Record<string, string>;
  /** Called with the new value. */
  onChange: ChangeValue;
}

/** The input for a schema. */
export function Input({ id, name, path, schema, value, errors, onChange }: InputProps) {
  const type = typeOf(schema);
  const [suggested, setSuggested] = useState<string[]>([]);
  /** The text whose completions were requested last. */
  const asked = useRef("");
  if (schema.enum && schema.enum.length <= 4) {
    return (
      <div class="segments" role="group" aria-label={name} id={id}>
        {schema.enum.map((each) => (
          <button
            type="button"
            key={String(each)}
            aria-pressed={value === each}
            onClick={() => onChange(value === each ? undefined : each)}
          >
            {String(each)}
          </button>
        ))}
      </div>
    );
  }
  if (schema.enum) {
    return (
      <select
        id={id}
        value={value === undefined ? "" : JSON.stringify(value)}
        onChange={(event) =>
          onChange(
            event.currentTarget.value === "" ? undefined : JSON.parse(event.currentTarget.value),
          )}
      >
        <option value="">
          {schema.default === undefined ? "–" : `default: ${schema.default}`}
        </option>
        {schema.enum.map((each) => (
          <option key={String(each)} value={JSON.stringify(each)}>{String(each)}</option>
        ))}
      </select>
    );
  }
  if (type === "boolean") {
    return (
      <div class="segments" role="group" aria-label={name} id={id}>
        {[undefined, true, false].map((each) => (
          <button
            type="button"
            key={String(each)}
            aria-pressed={value === each}
            onClick={() => onChange(each)}
          >
            {each === undefined ? "default" : each ? "yes" : "no"}
          </button>
        ))}
      </div>
    );
  }
  if (type === "integer" || type === "number") {
    return (
      <input
        id={id}
        type="number"
        step={type === "integer" ? 1 : "any"}
        min={schema.minimum}
        max={schema.maximum}
        value={value === undefined ? "" : String(value)}
        placeholder={schema.default === undefined ? "" : `default: ${schema.default}`}
        onInput={(event) =>
          onChange(
            event.currentTarget.value === "" ? undefined : Number(event.currentTarget.value),
          )}
      />
    );
  }
  if (type === "string") {
    const text = typeof value === "string" ? value : "";
    const complete = async (prefix: string) => {
      if (!isPath(name)) return;
      asked.current = prefix;
      const found = await api<string[]>(`paths?prefix=${encodeURIComponent(prefix)}`)
        .catch(() => []);
      // An answer may come after the answer to a later question.
      if (asked.current === prefix) setSuggested(found);
    };
    const take = (next: string) => {
      onChange(next === "" ? undefined : next);
      complete(next);
    };
    if (isPath(name) || schema.format) {
      return (
        <>
          <input
            id={id}
            list={`${id}-list`}
            value={text}
            spellcheck={false}
            placeholder={schema.default === undefined
              ? schema.format ?? ""
              : `default: ${schema.default}`}
            onFocus={() => complete(text)}
            onInput={(event) => take(event.currentTarget.value)}
          />
          <datalist id={`${id}-list`}>
            {suggested.map((each) => <option key={each} value={each} />)}
          </datalist>
        </>
      );
    }
    return (
      <textarea
        id={id}
        rows={Math.min(12, Math.max(1, text.split("\n").length))}
        value={text}
        spellcheck={false}
        placeholder={schema.default === undefined ? "" : `default: ${schema.default}`}
        onInput={(event) => take(event.currentTarget.value)}
      />
    );
  }
  if (schema.anyOf && schema.anyOf.length > 1) {
    return <Alternatives {...{ id, name, path, schema, value, errors, onChange }} />;
  }
  if (type === "array" && schema.items?.properties) {
    return <Cards {...{ id, name, path, schema, value, errors, onChange }} />;
  }
  if (type === "array" && /^(string|number|integer)$/.test(typeOf(schema.items ?? {}) ?? "")) {
    return <Chips {...{ id, name, path, schema, value, errors, onChange }} />;
  }
  if (type === "object" && schema.properties) {
    return (
      <fieldset id={id}>
        <legend>{name}</legend>
        <Fields
          schema={schema}
          value={(value ?? {}) as Record<string, unknown>}
          path={path}
          errors={errors}
          onChange={(next) => onChange(Object.keys(next).length ? next : undefined)}
        />
      </fieldset>
    );
  }
  return <JsonField {...{ id, value, onChange }} />;
}
