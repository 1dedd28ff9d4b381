/// <reference lib="dom" />
/** The permissions that the current call needs. */
import { type Chip, chipsOf, quoted } from "./chips.ts";
import { needValue } from "./proposed_set.ts";
import { chips, chosenFlags, copy, report, reportError, server } from "./state.ts";

const same = (a: Chip, b: Chip) => a.side === b.side && a.kind === b.kind && a.value === b.value;

/** Adds a permission, if the server's flags allow it. The server refuses anything wider. */
export function grant(flag: string) {
  chips.value = [
    ...chips.value,
    ...chipsOf([flag]).filter((chip) => !chips.value.some((each) => same(each, chip))),
  ];
}
/** Removes a permission. */
export const removeChip = (chip: Chip) => chips.value = chips.value.filter((each) => each !== chip);

/** The needs of the current call, with a tick or a cross each. */
export function Needs() {
  const found = report.value;
  if (reportError.value) {
    return (
      <div class="notice bad" role="alert" id="refused">
        <p>{reportError.value}</p>
        <p>Start the server with these flags to allow it:</p>
        <pre tabIndex={0}>toolcall ui {chosenFlags.value.map(quoted).join(" ")}</pre>
        <div class="row">
          <button
            type="button"
            onClick={() => copy(`toolcall ui ${chosenFlags.value.map(quoted).join(" ")}`)}
          >
            Copy the command
          </button>
          <button type="button" onClick={() => chips.value = chipsOf(server.value!.ceiling)}>
            Undo
          </button>
        </div>
      </div>
    );
  }
  if (!found) return <p class="muted">Checking …</p>;
  if (!found.needs) {
    return (
      <p class="notice">{found.content?.[0]?.text ?? "Complete the arguments to see the needs."}</p>
    );
  }
  if (found.needs.length === 0) return <p class="muted">This call needs no permission.</p>;
  return (
    <ul class="needs">
      {found.needs.map((need, at) => (
        <li key={at} class={need.granted ? "yes" : "no"}>
          <span class="mark" aria-label={need.granted ? "granted" : "missing"}>
            {need.granted ? "✓" : "✗"}
          </span>
          <span class="what">
            <b>{need.name}</b> <code>{needValue(need)}</code>
            <small>
              {need.granted
                ? `by ${need.flag}`
                : need.denied
                ? `denied by ${need.flag}`
                : `needs ${need.flag}`}
              {need.why ? ` – ${need.why}` : ""}
            </small>
          </span>
          {!need.granted && !need.denied && (
            <button
              type="button"
              onClick={() => grant(need.flag)}
            >
              Grant
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

/** The needs in short, for the side of the form of a tool. */
export function PermissionSummary() {
  return (
    <section class="panel permission" aria-live="polite">
      <div class="row">
        <h2>Permissions</h2>
        {report.value?.granted !== undefined && (
          <span class={`badge ${report.value.granted ? "good" : "bad"}`}>
            {report.value.granted ? "granted" : "refused"}
          </span>
        )}
        <span class="grow" />
        <a href="#/permissions">Playground</a>
      </div>
      <Needs />
    </section>
  );
}
