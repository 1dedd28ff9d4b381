/// <reference lib="dom" />
/** A form for the arguments of a tool, made of its JSON Schema. */
import { useState } from "preact/hooks";
import { api, type Schema } from "./store.tsx";

type Change = (value: unknown) => void;
const typeOf = (schema: Schema) =>
  Array.isArray(schema.type) ? schema.type.find((each) => each !== "null") : schema.type;
const isPath = (name: string) => /path|directory|^file$|^cwd$|^root$/i.test(name);

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
  const shown = isOpen
    ? names
    : names.filter((name, at) => required.includes(name) || value[name] !== undefined || at < 4);
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
          error={errors[`${path}/${name}`]}
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

function Field({ name, path, schema, isRequired, value, error, onChange }: {
  name: string;
  path: string;
  schema: Schema;
  isRequired: boolean;
  value: unknown;
  error: string | undefined;
  onChange: Change;
}) {
  const id = `field${path.replaceAll("/", "-")}`;
  return (
    <div class={`field ${error ? "wrong" : ""}`}>
      <label for={id}>
        {name}
        {isRequired && <span class="required" title="required">required</span>}
      </label>
      <Input {...{ id, name, schema, value, onChange }} />
      {error && <p class="error">{error}</p>}
      {schema.description && <p class="hint">{schema.description}</p>}
    </div>
  );
}

function Input(
  { id, name, schema, value, onChange }: {
    id: string;
    name: string;
    schema: Schema;
    value: unknown;
    onChange: Change;
  },
) {
  const type = typeOf(schema);
  const [suggested, setSuggested] = useState<string[]>([]);
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
      if (isPath(name)) {
        setSuggested(
          await api<string[]>(`paths?prefix=${encodeURIComponent(prefix)}`).catch(() => []),
        );
      }
    };
    const take = (next: string) => {
      onChange(next === "" && value === undefined ? undefined : next === "" ? undefined : next);
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
  if (type === "array" && schema.items?.properties) {
    const items = Array.isArray(value) ? value as Record<string, unknown>[] : [];
    return (
      <div class="cards" id={id}>
        {items.map((item, at) => (
          <fieldset key={at}>
            <legend>{name} {at + 1}</legend>
            <Fields
              schema={schema.items!}
              value={item}
              path={`${id}/${at}`}
              onChange={(next) => onChange(items.map((each, index) => index === at ? next : each))}
            />
            <button
              type="button"
              class="quiet"
              onClick={() =>
                onChange(items.length === 1 ? undefined : items.filter((_, index) => index !== at))}
            >
              Remove
            </button>
          </fieldset>
        ))}
        <button type="button" class="quiet" onClick={() => onChange([...items, {}])}>
          Add {name}
        </button>
      </div>
    );
  }
  if (type === "array" && typeOf(schema.items ?? {}) === "string" && !schema.items?.enum) {
    const items = Array.isArray(value) ? value as string[] : [];
    return (
      <textarea
        id={id}
        rows={Math.max(2, items.length + 1)}
        placeholder="one item a line"
        value={items.join("\n")}
        spellcheck={false}
        onInput={(event) =>
          onChange(
            event.currentTarget.value === "" ? undefined : event.currentTarget.value.split("\n"),
          )}
      />
    );
  }
  if (type === "object" && schema.properties) {
    return (
      <fieldset id={id}>
        <Fields
          schema={schema}
          value={(value ?? {}) as Record<string, unknown>}
          path={id}
          onChange={(next) => onChange(Object.keys(next).length ? next : undefined)}
        />
      </fieldset>
    );
  }
  return <JsonField {...{ id, value, onChange }} />;
}

/** A field for any JSON value. The server checks it. */
export function JsonField(
  { id, value, onChange, rows = 3 }: {
    id: string;
    value: unknown;
    onChange: Change;
    rows?: number;
  },
) {
  const [text, setText] = useState(value === undefined ? "" : JSON.stringify(value, null, 2));
  const [isWrong, setWrong] = useState(false);
  return (
    <>
      <textarea
        id={id}
        class="code"
        rows={Math.max(rows, text.split("\n").length)}
        value={text}
        placeholder="JSON"
        spellcheck={false}
        aria-invalid={isWrong}
        onInput={(event) => {
          const next = event.currentTarget.value;
          setText(next);
          try {
            onChange(next === "" ? undefined : JSON.parse(next));
            setWrong(false);
          } catch {
            setWrong(true);
          }
        }}
      />
      {isWrong && <p class="error">This is not valid JSON yet.</p>}
    </>
  );
}
