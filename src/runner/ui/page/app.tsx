/// <reference lib="dom" />
/** The page: its frame, its routes, its keys and its dialogs. */
import { render } from "preact";
import { effect } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { AuditPage, HistoryPage } from "./history_page.tsx";
import { DoctorPage, ServersPage, TasksPage } from "./live_pages.tsx";
import { PermissionsPage } from "./permissions_page.tsx";
import {
  api,
  args,
  asked,
  cancel,
  check,
  connect,
  isReady,
  latest,
  problem,
  report,
  route,
  run,
  running,
  say,
  selected,
  server,
  tasks,
  toast,
  token,
} from "./store.tsx";
import { step, ToolsPage } from "./tools_page.tsx";

/** The pages by their routes. A page for workers takes its place here. */
const PAGES: [route: string, name: string, page: () => preact.JSX.Element][] = [
  ["tools", "Tools", ToolsPage],
  ["permissions", "Permissions", PermissionsPage],
  ["history", "History", HistoryPage],
  ["tasks", "Tasks", TasksPage],
  ["audit", "Audit", AuditPage],
  ["servers", "Servers", ServersPage],
  ["doctor", "Doctor", DoctorPage],
];

function TokenForm() {
  const [text, setText] = useState("");
  return (
    <main class="token">
      <form
        class="panel"
        onSubmit={(event) => {
          event.preventDefault();
          connect(text);
        }}
      >
        <h1>toolcall</h1>
        <p>Enter the token that the server printed.</p>
        <label for="token">Token</label>
        <input
          id="token"
          type="password"
          autocomplete="off"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        {problem.value && <p class="error" role="alert">{problem.value}</p>}
        <button class="primary" type="submit">Open</button>
      </form>
    </main>
  );
}

/** A dialog that the browser keeps the focus in. */
function Dialog(
  { children, onClose, label }: {
    children: preact.ComponentChildren;
    onClose: () => void;
    label: string;
  },
) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    box.current!.showModal();
  }, []);
  return (
    <dialog
      ref={box}
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      {children}
    </dialog>
  );
}

function Question() {
  const current = asked.value!;
  const [chosen, setChosen] = useState<Record<string, string[]>>({});
  const [own, setOwn] = useState<Record<string, string>>({});
  const send = (answers?: Record<string, string>) => {
    asked.value = undefined;
    api("answer", { id: current.id, ...(answers && { answers }) }).catch((why) => say(why.message));
  };
  const answerOf = (question: string) =>
    own[question]?.trim() || (chosen[question] ?? []).join(", ");
  return (
    <Dialog label="A tool asks you" onClose={() => send()}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          send(
            Object.fromEntries(
              current.questions.map(({ question }) => [question, answerOf(question)]),
            ),
          );
        }}
      >
        <p class="muted">The running tool asks you</p>
        {current.questions.map(({ question, header, options, multiSelect }, at) => (
          <fieldset key={at}>
            <legend>
              <b>{header}</b>
            </legend>
            <p>{question}</p>
            {options.map(({ label, description }) => (
              <label class="choice" key={label}>
                <input
                  type={multiSelect ? "checkbox" : "radio"}
                  name={`q${at}`}
                  checked={(chosen[question] ?? []).includes(label)}
                  onChange={(event) =>
                    setChosen({
                      ...chosen,
                      [question]: multiSelect
                        ? event.currentTarget.checked
                          ? [...chosen[question] ?? [], label]
                          : (chosen[question] ?? []).filter((each) => each !== label)
                        : [label],
                    })}
                />
                <span>{label}{description && <small>{description}</small>}</span>
              </label>
            ))}
            <input
              aria-label={`${header}: your own words`}
              placeholder="Or in your own words"
              value={own[question] ?? ""}
              onInput={(event) =>
                setOwn({ ...own, [question]: event.currentTarget.value })}
            />
          </fieldset>
        ))}
        <div class="row">
          <span class="grow" />
          <button type="button" onClick={() => send()}>Decline</button>
          <button
            type="submit"
            class="primary"
            disabled={current.questions.some(({ question }) => answerOf(question) === "")}
          >
            Answer
          </button>
        </div>
      </form>
    </Dialog>
  );
}

const KEYS = [
  ["/", "Search tools"],
  ["j  k", "Next or previous tool"],
  ["Ctrl ↵", "Run the call"],
  ["Ctrl Shift ↵", "Check the call"],
  ["Esc", "Cancel the running call"],
  ["1 – 7", "Open a page"],
  ["?", "Show these keys"],
];

function App() {
  const [isHelp, setHelp] = useState(false);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test((event.target as HTMLElement).tagName);
      if ((event.ctrlKey || event.metaKey) && event.key === "Enter") {
        event.preventDefault();
        event.shiftKey ? check() : !server.value?.isReadOnly && selected.value && run();
        return;
      }
      if (event.key === "Escape" && running.value && !asked.value) cancel();
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey || asked.value) return;
      if (event.key === "/") {
        event.preventDefault();
        location.hash = "/tools";
        setTimeout(() => document.getElementById("search")?.focus());
      } else if (event.key === "j") step(1);
      else if (event.key === "k") step(-1);
      else if (event.key === "?") setHelp(true);
      else if (PAGES[Number(event.key) - 1] && event.key !== "0") {
        location.hash = `/${PAGES[Number(event.key) - 1]![0]}`;
      }
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  const main = route.value.split(/[/?]/)[1];
  useEffect(() => {
    document.getElementById("main")?.scrollTo(0, 0);
    document.querySelector(".top [aria-current]")?.scrollIntoView({ block: "nearest" });
  }, [main]);
  if (!isReady.value) {
    return token.value && !problem.value
      ? (
        <main class="token">
          <p class="muted">Connecting …</p>
        </main>
      )
      : <TokenForm />;
  }
  const name = route.value.split(/[/?]/)[1] || "tools";
  const [, title, Page] = PAGES.find(([each]) => each === name) ?? PAGES[0]!;
  const busy = tasks.value.filter(({ status }) => status === "running").length;
  return (
    <>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById("main")?.focus();
        }}
      >
        Skip to content
      </a>
      <header class="top">
        <a class="brand" href="#/tools">
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <rect width="16" height="16" rx="4" />
            <path d="M4 8l3 3 5-6" />
          </svg>toolcall
        </a>
        <nav aria-label="Pages">
          {PAGES.map(([each, label]) => (
            <a
              key={each}
              href={`#/${each}${
                each === "tools" && selected.value ? `/${encodeURIComponent(selected.value)}` : ""
              }`}
              aria-current={label === title ? "page" : undefined}
            >
              {label}
              {each === "tasks" && busy > 0 && <span class="count-dot">{busy}</span>}
            </a>
          ))}
        </nav>
        <span class="root" title={server.value?.root}>
          {server.value?.isReadOnly && <span class="badge">read-only</span>}
          <span>{server.value?.version}</span>
        </span>
      </header>
      <main id="main" tabIndex={0}>
        <Page key={title} />
      </main>
      {asked.value && <Question key={asked.value.id} />}
      {isHelp && (
        <Dialog label="Keys" onClose={() => setHelp(false)}>
          <h2>Keys</h2>
          <dl class="keys">
            {KEYS.map(([key, text]) => (
              <div key={key}>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{text}</dd>
              </div>
            ))}
          </dl>
          <button type="button" onClick={() => setHelp(false)}>Close</button>
        </Dialog>
      )}
      <div class="toast" role="status">{toast.value}</div>
    </>
  );
}

effect(() => {
  const [, name, query] = /^\/tools\/([^?]+)(?:\?args=(.*))?$/s.exec(route.value) ?? [];
  if (!name || !isReady.value) return;
  const chosen = decodeURIComponent(name);
  if (chosen !== selected.peek()) {
    latest.value = undefined;
    report.value = undefined;
    args.value = {};
    selected.value = chosen;
  }
  if (query === undefined) return;
  try {
    args.value = JSON.parse(decodeURIComponent(query));
  } catch {
    say("The link has no valid arguments");
  }
});
render(<App />, document.getElementById("app")!);
if (token.value) connect(token.value);
