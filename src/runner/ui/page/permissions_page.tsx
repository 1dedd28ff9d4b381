/// <reference lib="dom" />
/** The page that shows the effect of permission flags on a call. */
import { ChipRow, minimal } from "./chip_row.tsx";
import { chipsOf, KINDS, quoted } from "./chips.ts";
import { FlagDiff, Layers } from "./layer_views.tsx";
import { Needs } from "./needs.tsx";
import { Proposal } from "./proposal.tsx";
import { open } from "./run_call.ts";
import { chips, chosenFlags, copy, report, selected, server, tools } from "./state.ts";

/** Shows the effect of permission flags on a call. */
export function PermissionsPage() {
  const root = server.value?.root ?? ".";
  const use = (next: string[]) => chips.value = chipsOf(next);
  const presets: [string, string[]][] = [
    ["All that the server allows", server.value?.ceiling ?? []],
    ["Nothing", []],
    ["Read this directory", [`--allow-read=${root}`]],
    ["Code agent", [`--allow-read=${root}`, `--allow-write=${root}`, "--allow-run=bash,git"]],
    ...Object.entries(server.value?.sets ?? {}).map((
      [name, set],
    ): [string, string[]] => [`Set: ${name}`, set]),
  ];
  const smallest = minimal();
  return (
    <div class="page">
      <header class="title">
        <h1>Permissions</h1>
        <p class="muted">
          Narrow the permissions and see at once what the call may do. The flags of the server are
          the upper limit.
        </p>
      </header>
      <div class="presets" role="group" aria-label="Presets">
        {presets.map(([name, set]) => (
          <button
            type="button"
            class="preset"
            key={name}
            onClick={() => use(set)}
          >
            {name}
          </button>
        ))}
      </div>
      <div class="playground">
        <section class="panel">
          <h2>Allowed and denied</h2>
          {chips.value.some(({ kind }) => kind === "all") && (
            <div class="chips">
              <span class="chip allow">
                everything<button
                  type="button"
                  aria-label="Remove --allow-all"
                  onClick={() => chips.value = chips.value.filter(({ kind }) => kind !== "all")}
                >
                  ×
                </button>
              </span>
            </div>
          )}
          {KINDS.map(([kind, word, example]) => (
            <ChipRow key={kind} kind={kind} word={word} example={example} />
          ))}
          <h2>Flags</h2>
          <pre
            tabIndex={0}
            id="flags"
          >{chosenFlags.value.map(quoted).join(" ") || "(none: nothing is allowed)"}</pre>
          <button type="button" onClick={() => copy(chosenFlags.value.map(quoted).join(" "))}>
            Copy the flags
          </button>
        </section>
        <div>
          <section class="panel" aria-live="polite">
            <div class="row">
              <h2>This call needs</h2>
              <span class="grow" />
              <select
                aria-label="Tool"
                value={selected.value}
                onChange={(event) => {
                  open(event.currentTarget.value);
                  location.hash = "/permissions";
                }}
              >
                <option value="">Choose a tool</option>
                {tools.value.map(({ name }) => <option key={name}>{name}</option>)}
              </select>
            </div>
            {selected.value === ""
              ? <p class="muted">Choose a tool to see its needs.</p>
              : <Needs />}
          </section>
          {report.value?.needs && (
            <section class="panel">
              <h2>Smallest set of flags</h2>
              <pre tabIndex={0} id="minimal">{smallest.map(quoted).join(" ") || "(none)"}</pre>
              <div class="row">
                <button type="button" onClick={() => use(smallest)}>Try only these</button>
                <button type="button" onClick={() => copy(smallest.map(quoted).join(" "))}>
                  Copy
                </button>
              </div>
            </section>
          )}
          <Layers />
          <FlagDiff />
          <Proposal />
        </div>
      </div>
    </div>
  );
}
