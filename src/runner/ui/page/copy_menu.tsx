/// <reference lib="dom" />
/** The forms in which a call can be copied. */
import { useState } from "preact/hooks";
import { copies } from "./chips.ts";
import { args, chosenFlags, copy, selected } from "./state.ts";

/** Shows a call in another form. */
export function CopyMenu() {
  const [kind, setKind] = useState("CLI");
  const all = copies(selected.value, args.value, chosenFlags.value, location.origin);
  return (
    <details class="panel">
      <summary>Copy as …</summary>
      <div class="segments" role="group" aria-label="Form of the copy">
        {Object.keys(all).map((each) => (
          <button
            type="button"
            key={each}
            aria-pressed={kind === each}
            onClick={() => setKind(each)}
          >
            {each}
          </button>
        ))}
      </div>
      <pre tabIndex={0} id="copy-text">{all[kind]}</pre>
      <button type="button" onClick={() => copy(all[kind]!)}>Copy</button>
    </details>
  );
}
