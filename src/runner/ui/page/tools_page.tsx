/// <reference lib="dom" />
/** The list of tools, and the form of one. */
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { copies } from "./chips.tsx";
import { Fields, JsonField } from "./form.tsx";
import { PermissionSummary } from "./permissions_page.tsx";
import { ResultView } from "./result_view.tsx";
import {
  args,
  cancel,
  check,
  copy,
  flags,
  latest,
  open,
  report,
  run,
  running,
  selected,
  server,
  type Tool,
  tool,
  tools,
} from "./store.tsx";
import { VirtualList } from "./virtual_list.tsx";

const query = signal("");
const effectOf = signal("");

/** The words for side effects. */
export const EFFECTS: Record<string, string> = {
  pure: "pure",
  read_only: "reads",
  mutating: "changes",
  spawns: "runs programs",
  network: "network",
  external: "external",
};

/** The tools that match the search. */
function found(): Tool[] {
  const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
  return tools.value.filter((each) =>
    (effectOf.value === "" || each.sideEffect === effectOf.value) &&
    words.every((word) =>
      `${each.name} ${each.title} ${each.category} ${each.aliases?.join(" ")}`.toLowerCase()
        .includes(word)
    )
  );
}

/** Selects the tool before or after the selected one. */
export function step(by: number) {
  const list = found();
  const next = list[
    Math.max(
      0,
      Math.min(list.length - 1, list.findIndex(({ name }) => name === selected.value) + by),
    )
  ];
  if (next) open(next.name);
}

function ToolList() {
  const list = found();
  const effects = [...new Set(tools.value.map(({ sideEffect }) => sideEffect))].sort();
  return (
    <nav class="tool-list" aria-label="Tools">
      <div class="list-head">
        <input
          id="search"
          type="search"
          placeholder="Search tools  /"
          aria-label="Search tools"
          value={query.value}
          onInput={(event) => query.value = event.currentTarget.value}
          onKeyDown={(event) => event.key === "Enter" && list[0] && open(list[0].name)}
        />
        <select
          aria-label="Filter by effect"
          value={effectOf.value}
          onChange={(event) => effectOf.value = event.currentTarget.value}
        >
          <option value="">All effects</option>
          {effects.map((each) => <option key={each} value={each}>{EFFECTS[each] ?? each}</option>)}
        </select>
      </div>
      <VirtualList
        count={list.length}
        height={52}
        label="Tools"
        at={list.findIndex(({ name }) => name === selected.value)}
        row={(at) => {
          const each = list[at]!;
          return (
            <button
              type="button"
              class="tool-row"
              aria-current={each.name === selected.value ? "true" : undefined}
              onClick={() => open(each.name)}
            >
              <span
                class={`dot ${each.sideEffect}`}
                title={EFFECTS[each.sideEffect] ?? each.sideEffect}
              />
              <span class="names">
                <b>{each.name}</b>
                <small>{each.title}</small>
              </span>
            </button>
          );
        }}
      />
      <p class="muted count">{list.length} of {tools.value.length} tools</p>
    </nav>
  );
}

/** Problems of the arguments by their JSON pointer. */
function errorsIn(): Record<string, string> {
  const error = report.value?._meta?.["toolcall/error"] as {
    issues?: { path: string; message: string }[];
    problems?: { path: string; message: string }[];
  } | undefined;
  return Object.fromEntries(
    (error?.issues ?? error?.problems ?? []).map(({ path, message }) => [path, message]),
  );
}

function CopyMenu() {
  const [kind, setKind] = useState("CLI");
  const all = copies(selected.value, args.value, flags.value, location.origin);
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

/** The page of one tool: its form, its permissions and its result. */
export function ToolsPage() {
  const [isJson, setJson] = useState(false);
  const [more, setMore] = useState(false);
  const current = tool.value;
  return (
    <div class={`tools ${current ? "has-tool" : ""}`}>
      <ToolList />
      {!current
        ? (
          <section class="welcome">
            <h1>See what a call may do before it does it.</h1>
            <p>
              Choose a tool. Its page shows which permissions a call needs, and what the sandbox
              will allow.
            </p>
            <p class="muted">
              Press <kbd>/</kbd> to search, <kbd>j</kbd> and <kbd>k</kbd> to move, <kbd>?</kbd>{" "}
              for all keys.
            </p>
          </section>
        )
        : (
          <>
            <section class="call" key={current.name}>
              <a class="back" href="#/tools" onClick={() => selected.value = ""}>‹ All tools</a>
              <header>
                <h1>{current.name}</h1>
                <span class={`badge effect ${current.sideEffect}`}>
                  {EFFECTS[current.sideEffect] ?? current.sideEffect}
                </span>
                <span class="badge">{current.category}</span>
              </header>
              <p class="lead">{current.title}</p>
              <p class={`about ${more ? "" : "clamped"}`}>{current.description}</p>
              {current.description.length > 240 && (
                <button
                  type="button"
                  class="quiet"
                  onClick={() => setMore(!more)}
                >
                  {more ? "Show less" : "Show more"}
                </button>
              )}
              {current.examples.length > 0 && (
                <div class="presets" role="group" aria-label="Examples">
                  {current.examples.map((example, at) => (
                    <button
                      type="button"
                      class="preset"
                      key={at}
                      onClick={() => args.value = example.input}
                    >
                      {example.title ?? example.description ?? `Example ${at + 1}`}
                    </button>
                  ))}
                </div>
              )}
              <div class="row">
                <h2>Arguments</h2>
                <span class="grow" />
                <button
                  type="button"
                  class="quiet"
                  aria-pressed={isJson}
                  onClick={() => setJson(!isJson)}
                >
                  {isJson ? "Edit as form" : "Edit as JSON"}
                </button>
              </div>
              {isJson
                ? (
                  <>
                    <label class="hidden" for="json-args">Arguments as JSON</label>
                    <JsonField
                      id="json-args"
                      value={args.value}
                      rows={10}
                      onChange={(next) => args.value = (next ?? {}) as Record<string, unknown>}
                    />
                  </>
                )
                : (
                  <Fields
                    schema={current.inputSchema}
                    value={args.value}
                    onChange={(next) => args.value = next}
                    errors={errorsIn()}
                  />
                )}
              <footer class="actions">
                <button type="button" onClick={check}>Check</button>
                {running.value
                  ? (
                    <button type="button" class="danger" id="cancel" onClick={cancel}>
                      Cancel
                    </button>
                  )
                  : (
                    <button
                      type="button"
                      class="primary"
                      id="run"
                      disabled={server.value?.isReadOnly}
                      title={server.value?.isReadOnly
                        ? "The server was started with --read-only"
                        : "Ctrl+Enter"}
                      onClick={() => run()}
                    >
                      Run <kbd>⌃↵</kbd>
                    </button>
                  )}
                {server.value?.isReadOnly && (
                  <span class="muted">Read-only: calls are checked and not run.</span>
                )}
              </footer>
            </section>
            <aside class="outcome">
              <PermissionSummary />
              <ResultView row={latest.value} />
              <CopyMenu />
            </aside>
          </>
        )}
    </div>
  );
}
