/// <reference lib="dom" />
/** The layers of the sandbox, and how a flag changes them. */
import { useEffect, useState } from "preact/hooks";
import { chipFlags } from "./chips.ts";
import type { Report } from "./page_types.ts";
import { needValue } from "./proposed_set.ts";
import { api } from "./requests.ts";
import { layersOf } from "./sandbox_layers.ts";
import { args, chips, report, say, selected } from "./state.ts";

/** The layers of the sandbox for the current call. */
export function Layers() {
  const all = layersOf(report.value);
  if (all.length === 0) return null;
  return (
    <section class="panel">
      <h2>Sandbox layers</h2>
      <dl class="layers">
        {[...Map.groupBy(all, ([layer]) => layer)].map(([layer, entries]) => (
          <div key={layer}>
            <dt>{layer}</dt>
            {entries.map(([, text, values], at) => (
              <dd key={at}>
                {text}
                {values.length > 0 && (
                  <details open={values.length <= 4}>
                    <summary>
                      {values.length} {values.length === 1 ? "entry" : "entries"}
                    </summary>
                    <ul>
                      {values.slice(0, 60).map((each) => (
                        <li key={each}>
                          <code>{each}</code>
                        </li>
                      ))}
                    </ul>
                  </details>
                )}
              </dd>
            ))}
          </div>
        ))}
      </dl>
    </section>
  );
}

/** The lines of a report: its needs and the entries of its layers. */
const linesOf = (given: Report | undefined): string[] => [
  ...(given?.needs ?? []).map(({ granted, ...need }) =>
    `${granted ? "granted" : "refused"}: ${need.name} ${needValue({ ...need, granted })}`
  ),
  ...layersOf(given).flatMap(([layer, text, values]) =>
    values.length ? values.map((each) => `${layer}: ${text} ${each}`) : [`${layer}: ${text}`]
  ),
];

/** Compares the current call with and without one of the flags. */
export function FlagDiff() {
  const [chosen, setChosen] = useState("");
  const [without, setWithout] = useState<Report>();
  const names = chips.value.map((chip) => chipFlags([chip])[0]!);
  useEffect(() => {
    setWithout(undefined);
    const rest = chipFlags(chips.value.filter((chip) => chipFlags([chip])[0] !== chosen));
    if (!names.includes(chosen) || selected.value === "") return;
    api<Report>("check", { name: selected.value, arguments: args.value, flags: rest })
      .then(setWithout, (why) => say(why.message));
  }, [chosen, report.value]);
  if (names.length === 0 || report.value?.needs === undefined) return null;
  const [before, after] = [linesOf(report.value), linesOf(without)];
  const changes = [
    ...before.filter((line) => !after.includes(line)).map((line) => `- ${line}`),
    ...after.filter((line) => !before.includes(line)).map((line) => `+ ${line}`),
  ];
  return (
    <section class="panel" id="flag-diff">
      <div class="row wrap">
        <h2>Without a flag</h2>
        <span class="grow" />
        <select
          aria-label="Flag to leave out"
          value={chosen}
          onChange={(event) => setChosen(event.currentTarget.value)}
        >
          <option value="">Choose a flag</option>
          {names.map((each) => <option key={each}>{each}</option>)}
        </select>
      </div>
      {without && (changes.length === 0
        ? <p class="muted">This flag changes nothing for this call.</p>
        : (
          <pre tabIndex={0}>{changes.map((line, at) => (
            <span key={at} class={line.startsWith("+") ? "added" : "removed"}>{`${line}\n`}</span>
          ))}</pre>
        ))}
    </section>
  );
}
