/// <reference lib="dom" />
/** A field for any JSON value. */
import { useState } from "preact/hooks";
import type { ChangeValue } from "./page_types.ts";

/** A field for any JSON value. The server checks it. */
export function JsonField(
  { id, value, onChange, rows = 3 }: {
    id: string;
    value: unknown;
    onChange: ChangeValue;
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
