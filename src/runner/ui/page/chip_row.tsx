/// <reference lib="dom" />
/** The permissions of one kind, as chips. */
import { useState } from "preact/hooks";
import { type Chip, chipFlags, chipsOf } from "./chips.ts";
import { grant, removeChip } from "./needs.tsx";
import { chips, report } from "./state.ts";

/** The smallest set of flags for the current call. */
export function minimal(): string[] {
  return chipFlags(
    chipsOf(
      (report.value?.needs ?? []).map(({ name, flag, granted, denied, ...rest }) =>
        granted && !denied
          ? `--allow-${name}=${Object.values(rest).find((each) => typeof each === "string")}`
          : flag
      ),
    ),
  );
}

/** The permissions of one kind, and a form to add one. */
export function ChipRow(
  { kind, word, example }: { kind: string; word: string; example: string },
) {
  const [text, setText] = useState("");
  const own = chips.value.filter((chip) => chip.kind === kind);
  const add = (side: Chip["side"]) => {
    grant(`--${side}-${kind}${text.trim() ? `=${text.trim()}` : ""}`);
    setText("");
  };
  return (
    <div class="chip-row">
      <h3>{word}</h3>
      <div class="chips">
        {own.length === 0 && (
          <span class="muted">
            {chips.value.some((chip) => chip.kind === "all")
              ? "everything, by --allow-all"
              : "nothing"}
          </span>
        )}
        {own.map((chip) => (
          <span key={`${chip.side}${chip.value}`} class={`chip ${chip.side}`}>
            {chip.side === "deny" ? "not " : ""}
            {chip.value ?? "everything"}
            <button
              type="button"
              aria-label={`Remove --${chip.side}-${kind}${chip.value ? `=${chip.value}` : ""}`}
              onClick={() => removeChip(chip)}
            >
              ×
            </button>
          </span>
        ))}
      </div>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          add("allow");
        }}
      >
        <input
          aria-label={`${word}: a value`}
          value={text}
          placeholder={example}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button type="submit">Allow</button>
        <button type="button" onClick={() => add("deny")}>Deny</button>
      </form>
    </div>
  );
}
