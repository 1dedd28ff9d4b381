/// <reference lib="dom" />
/** The inputs of lists and of alternatives. */
import { useState } from "preact/hooks";
import { Fields } from "./form.tsx";
import { Input, type InputProps, typeOf } from "./input.tsx";
import type { Schema } from "./page_types.ts";

/** The items of a list of objects, as cards. */
export function Cards({ id, name, path, schema, value, errors, onChange }: InputProps) {
  const items = Array.isArray(value) ? value as Record<string, unknown>[] : [];
  return (
    <div class="cards" id={id}>
      {items.map((item, at) => (
        <fieldset key={at}>
          <legend>{name} {at + 1}</legend>
          <Fields
            schema={schema.items!}
            value={item}
            path={`${path}/${at}`}
            errors={errors}
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

/** The items of a list of strings or numbers, as chips. Enter adds one. */
export function Chips({ id, name, schema, value, onChange }: InputProps) {
  const [text, setText] = useState("");
  const items = Array.isArray(value) ? value as unknown[] : [];
  const isText = typeOf(schema.items ?? {}) === "string";
  const add = () => {
    if (text === "") return;
    setText("");
    onChange([...items, isText || Number.isNaN(Number(text)) ? text : Number(text)]);
  };
  return (
    <div class="chips">
      {items.map((item, at) => (
        <span key={at} class="chip plain">
          {String(item)}
          <button
            type="button"
            aria-label={`Remove ${item} from ${name}`}
            onClick={() => {
              const rest = items.filter((_, index) => index !== at);
              onChange(rest.length ? rest : undefined);
            }}
          >
            ×
          </button>
        </span>
      ))}
      <input
        id={id}
        list={`${id}-list`}
        value={text}
        placeholder="Add an item, and press Enter"
        spellcheck={false}
        onInput={(event) => setText(event.currentTarget.value)}
        onBlur={add}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.ctrlKey || event.metaKey) return;
          event.preventDefault();
          add();
        }}
      />
      {schema.items?.enum && (
        <datalist id={`${id}-list`}>
          {schema.items.enum.map((each) => <option key={String(each)} value={String(each)} />)}
        </datalist>
      )}
    </div>
  );
}

/** Whether a value has the type of a schema. */
function fits(value: unknown, schema: Schema): boolean {
  const type = typeOf(schema);
  if (schema.enum) return schema.enum.includes(value);
  if (Array.isArray(value)) return type === "array";
  if (type === "integer") return Number.isInteger(value);
  const kind = typeof value;
  return kind === type;
}

/** A value of one of several schemas: a tab for each. */
export function Alternatives(props: InputProps) {
  const { id, name, schema, value, onChange } = props;
  const options = schema.anyOf!.filter(({ type }) => type !== "null");
  const [chosen, setChosen] = useState(0);
  const fitting = value === undefined ? chosen : options.findIndex((each) => fits(value, each));
  const at = fitting < 0 ? chosen : fitting;
  return (
    <div class="cards">
      <div class="segments" role="group" aria-label={`Form of ${name}`}>
        {options.map((each, index) => (
          <button
            type="button"
            key={index}
            aria-pressed={index === at}
            onClick={() => {
              setChosen(index);
              if (index !== at) onChange(undefined);
            }}
          >
            {each.title ??
              (each.enum ? each.enum.join(" | ") : typeOf(each) ?? `Form ${index + 1}`)}
          </button>
        ))}
      </div>
      <Input {...props} id={id} schema={options[at] ?? {}} key={at} />
    </div>
  );
}
