/// <reference lib="dom" />
/** The permission playground: chips, needs, sandbox layers, and the smallest set of flags. */
import { useState } from "preact/hooks";
import { type Chip, chipsOf, flagsOf, KINDS, quoted } from "./chips.tsx";
import {
  audit,
  chips,
  copy,
  flags,
  type Need,
  open,
  report,
  reportError,
  rows,
  selected,
  server,
  tools,
} from "./store.tsx";

const valueOf = ({ name: _, granted: _g, denied: _d, flag: _f, why: _w, ...rest }: Need) =>
  Object.values(rest).filter((each) => typeof each === "string").join(" ");
const same = (a: Chip, b: Chip) => a.side === b.side && a.kind === b.kind && a.value === b.value;

/** Adds a permission, if the server's flags allow it. The server refuses anything wider. */
function grant(flag: string) {
  chips.value = [
    ...chips.value,
    ...chipsOf([flag]).filter((chip) => !chips.value.some((each) => same(each, chip))),
  ];
}
const remove = (chip: Chip) => chips.value = chips.value.filter((each) => each !== chip);

/** The needs of the current call, with a tick or a cross each. */
function Needs() {
  const found = report.value;
  if (reportError.value) {
    return (
      <div class="notice bad" role="alert" id="refused">
        <p>{reportError.value}</p>
        <p>Start the server with these flags to allow it:</p>
        <pre tabIndex={0}>toolcall ui {flags.value.map(quoted).join(" ")}</pre>
        <div class="row">
          <button
            type="button"
            onClick={() => copy(`toolcall ui ${flags.value.map(quoted).join(" ")}`)}
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
            <b>{need.name}</b> <code>{valueOf(need)}</code>
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

/** What may be done, in plain words, by the layers of the sandbox. */
function layers(): [layer: string, text: string, values: string[]][] {
  const { walls, plan } = report.value ?? {};
  if (!walls) return [];
  const list = (value: unknown) =>
    Array.isArray(value) ? value.map(String) : value === true ? ["everything"] : [];
  const { runtime, kernel } = walls;
  const found: [string, string, string[]][] = [[
    "Executor",
    ({
      in_process: "The call runs inside the server.",
      network_worker: "The call runs in a thread that reaches only its hosts.",
      programs: "The call starts programs inside a sandbox of the kernel.",
    } as Record<string, string>)[plan!] ??
      "The call runs in its own sandboxed thread or process.",
    [],
  ]];
  if (runtime === "open") found.push(["Runtime", "The runtime restricts nothing.", []]);
  else if (typeof runtime === "string") found.push(["Runtime", `The thread ${runtime}.`, []]);
  else {
    for (
      const [kind, word] of [["read", "The thread may read"], ["write", "The thread may write"], [
        "net",
        "The thread may connect to",
      ], ["env", "The thread may use the variables"]] as const
    ) {
      const values = list(runtime[kind]);
      const text = values.length === 0
        ? `${word.replace("the variables", "no variable")}${kind === "env" ? "" : " nothing"}.`
        : runtime[kind] === true
        ? `${word} everything that the kernel allows.`
        : `${word}:`;
      found.push(["Runtime", text, runtime[kind] === true ? [] : values]);
    }
  }
  if (kernel === "open" || kernel === "none") {
    found.push([
      "Kernel",
      kernel === "none"
        ? "The kernel adds no limit, because the thread has no file access."
        : "The kernel restricts nothing.",
      [],
    ]);
  } else if (kernel) {
    const words: Record<string, string> = {
      read: "may read",
      write: "may write",
      execute: "may execute",
      device: "may use devices",
      list: "may list",
    };
    for (const [kind, values] of Object.entries(kernel.files ?? {})) {
      if (list(values).length) {
        found.push(["Kernel", `The kernel: the call ${words[kind] ?? kind}:`, list(values)]);
      }
    }
    if (!list(kernel.files?.write).length) {
      found.push(["Kernel", "The kernel refuses every write.", []]);
    }
    if (kernel.network) found.push(["Kernel", `Network of programs: ${kernel.network.open}`, []]);
    if (kernel.limits) {
      found.push([
        "Limits",
        Object.entries(kernel.limits).map(([name, most]) =>
          `${name} ${Number(most).toLocaleString("en")}`
        ).join(" · "),
        [],
      ]);
    }
  }
  return found;
}

/** The smallest set of flags for the current call. */
export function minimal(): string[] {
  return flagsOf(
    chipsOf(
      (report.value?.needs ?? []).map(({ name, flag, granted, denied, ...rest }) =>
        granted && !denied
          ? `--allow-${name}=${Object.values(rest).find((each) => typeof each === "string")}`
          : flag
      ),
    ),
  );
}

function ChipRow({ kind, word }: { kind: string; word: string }) {
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
              onClick={() => remove(chip)}
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
          placeholder={kind === "net"
            ? "example.com"
            : kind === "run"
            ? "git"
            : kind === "env"
            ? "HOME"
            : kind === "read" || kind === "write"
            ? "."
            : "value"}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button type="submit">Allow</button>
        <button type="button" onClick={() => add("deny")}>Deny</button>
      </form>
    </div>
  );
}

/** A proposal for `toolcall.json`, from the calls of the page and of the audit log. */
function Proposal() {
  const [count, setCount] = useState(50);
  const needs = [
    ...rows.value.map(({ needs }) => needs),
    ...audit.value.map(({ needs }) => needs ?? []),
  ].slice(-count).flat().filter((need: Need) => !need.denied);
  const set: Record<string, string[]> = {};
  for (const need of needs as Need[]) {
    const value = valueOf(need);
    if (value) set[need.name] = [...new Set([...set[need.name] ?? [], value])].sort();
  }
  const text = JSON.stringify(
    { permissions: { proposed: Object.fromEntries(Object.entries(set).sort()) } },
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
            Run some calls, or start the server with --audit=FILE. The permissions that they needed
            appear here.
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

/** The short form beside the form of a tool. */
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

/** The playground. */
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
          {KINDS.map(([kind, word]) => <ChipRow key={kind} kind={kind} word={word} />)}
          <h2>Flags</h2>
          <pre
            tabIndex={0}
            id="flags"
          >{flags.value.map(quoted).join(" ") || "(none: nothing is allowed)"}</pre>
          <button type="button" onClick={() => copy(flags.value.map(quoted).join(" "))}>
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
          {layers().length > 0 && (
            <section class="panel">
              <h2>Sandbox layers</h2>
              <dl class="layers">
                {layers().map(([layer, text, values], at) => (
                  <div key={at}>
                    <dt>{layer}</dt>
                    <dd>
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
                  </div>
                ))}
              </dl>
            </section>
          )}
          <Proposal />
        </div>
      </div>
    </div>
  );
}
