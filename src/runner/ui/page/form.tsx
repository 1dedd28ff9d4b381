/// <reference lib="dom" />
/** A form for the arguments of a tool, made of its JSON Schema. */
import { useState } from "preact/hooks";
import { Input } from "./input.tsx";
import type { ChangeValue, Schema } from "./page_types.ts";

/** The fields of an object. Optional ones are folded if there are many. */
export function Fields({ schema, value, onChange, path = "", errors = {} }: {
  schema: Schema;
  value: Record<string, unknown>;
  onChange: (value: Record<string, unknown>) => void;
  path?: string;
  errors?: Record<string, string>;
}) {
  const [isOpen, setOpen] = useState(false);
  const required = schema.required ?? [];
  const names = Object.keys(schema.properties ?? {}).sort((a, b) =>
    Number(required.includes(b)) - Number(required.includes(a))
  );
  const hasError = (name: string) =>
    Object.keys(errors).some((each) => `${each}/`.startsWith(`${path}/${name}/`));
  const shown = isOpen
    ? names
    : names.filter((name, at) =>
      required.includes(name) || value[name] !== undefined || at < 4 || hasError(name)
    );
  const set = (name: string, next: unknown) => {
    const { [name]: _, ...rest } = value;
    onChange(next === undefined ? rest : { ...value, [name]: next });
  };
  return (
    <div class="fields">
      {shown.map((name) => (
        <Field
          key={name}
          name={name}
          path={`${path}/${name}`}
          schema={schema.properties![name]!}
          isRequired={required.includes(name)}
          value={value[name]}
          errors={errors}
          onChange={(next) => set(name, next)}
        />
      ))}
      {shown.length < names.length && (
        <button
          type="button"
          class="quiet"
          onClick={() => setOpen(true)}
        >
          {names.length - shown.length} more optional fields
        </button>
      )}
    </div>
  );
}

function Field({ name, path, schema, isRequired, value, errors, onChange }: {
  name: string;
  path: string;
  schema: Schema;
  isRequired: boolean;
  value: unknown;
  errors: Record<string, string>;
  onChange: ChangeValue;
}) {
  const id = `field${path.replaceAll("/", "-")}`;
  const error = errors[path];
  return (
    <div class={`field ${error ? "wrong" : ""}`}>
      <label for={id}>
        {name}
        {isRequired && <span class="required" title="required">required</span>}
      </label>
      <Input {...{ id, name, path, schema, value, errors, onChange }} />
      {error && <p class="error" role="alert">{error}</p>}
      {schema.description && <p class="hint">{schema.description}</p>}
    </div>
  );
}
