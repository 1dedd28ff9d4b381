/// <reference lib="dom" />
/** A proposed permission set for `toolcall.json`. */
import { useState } from "preact/hooks";
import { proposedSet, usedNeeds } from "./proposed_set.ts";
import { audit, copy, rows } from "./state.ts";

/** A proposal for `toolcall.json`, from the successful calls of the page and of the audit log. */
export function Proposal() {
  const [count, setCount] = useState(50);
  const needs = [...rows.value, ...audit.value].slice(-count).flatMap(usedNeeds);
  const text = JSON.stringify(
    { permissions: { proposed: proposedSet(needs) } },
    null,
    2,
  );
  return (
    <section class="panel" id="proposal">
      <div class="row">
        <h2>Proposed set for toolcall.json</h2>
        <span class="grow" />
        <select
          aria-label="Number of calls"
          value={count}
          onChange={(event) => setCount(Number(event.currentTarget.value))}
        >
          {[10, 50, 500, 10_000].map((each) => (
            <option key={each} value={each}>last {each.toLocaleString("en")} calls</option>
          ))}
        </select>
      </div>
      {needs.length === 0
        ? (
          <p class="muted">
            Run some calls, or start the server with --audit=FILE. The permissions that successful
            calls have used appear here.
          </p>
        )
        : (
          <>
            <pre tabIndex={0}>{text}</pre>
            <button type="button" onClick={() => copy(text)}>Copy</button>
          </>
        )}
    </section>
  );
}
