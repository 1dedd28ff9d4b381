/// <reference lib="dom" />
/** The page of one tool. */
import { useState } from "preact/hooks";
import { CopyMenu } from "./copy_menu.tsx";
import { Fields } from "./form.tsx";
import { JsonField } from "./json_field.tsx";
import { PermissionSummary } from "./needs.tsx";
import { ResultView } from "./result_view.tsx";
import { cancel, check, run } from "./run_call.ts";
import { args, latest, report, running, selected, server, tool } from "./state.ts";
import { EFFECTS, ToolSidebar } from "./tool_list.tsx";
import { favourites, toggleFavourite } from "./tool_marks.ts";

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

/** The page of one tool: its form, its permissions and its result. */
export function ToolsPage() {
  const [isJson, setJson] = useState(false);
  const [more, setMore] = useState(false);
  const current = tool.value;
  return (
    <div class={`tools ${current ? "has-tool" : ""}`}>
      <ToolSidebar />
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
                <button
                  type="button"
                  class="icon"
                  aria-pressed={favourites.value.includes(current.name)}
                  aria-label={`Favourite: ${current.name}`}
                  onClick={() => toggleFavourite(current.name)}
                >
                  {favourites.value.includes(current.name) ? "★" : "☆"}
                </button>
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
