/// <reference lib="dom" />
/** The page: its frame, its routes and its keys. */
import { effect } from "@preact/signals";
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { AuditPage } from "./audit_page.tsx";
import { KeyHelp, QuestionDialog } from "./dialogs.tsx";
import { DoctorPage } from "./doctor_page.tsx";
import { HistoryPage } from "./history_page.tsx";
import { PermissionsPage } from "./permissions_page.tsx";
import { cancel, check, run } from "./run_call.ts";
import { ServersPage } from "./servers_page.tsx";
import { connectPage } from "./session.ts";
import {
  args,
  asked,
  isReady,
  latest,
  problem,
  report,
  route,
  running,
  say,
  selected,
  server,
  tasks,
  toast,
  token,
} from "./state.ts";
import { TasksPage } from "./tasks_page.tsx";
import { TokenForm } from "./token_form.tsx";
import { step } from "./tool_list.tsx";
import { touch } from "./tool_marks.ts";
import { ToolsPage } from "./tools_page.tsx";
import { WorkersPage } from "./workers_page.tsx";

/** The pages by their routes. */
const PAGES: [route: string, name: string, page: () => preact.JSX.Element][] = [
  ["tools", "Tools", ToolsPage],
  ["permissions", "Permissions", PermissionsPage],
  ["history", "History", HistoryPage],
  ["tasks", "Tasks", TasksPage],
  ["audit", "Audit", AuditPage],
  ["servers", "Servers", ServersPage],
  ["doctor", "Doctor", DoctorPage],
  ["workers", "Workers", WorkersPage],
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
          {PAGES.filter(([each]) => each !== "workers" || server.value?.hasWorkers).map((
            [each, label],
          ) => (
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
      {asked.value && <QuestionDialog key={asked.value.id} />}
      {isHelp && <KeyHelp onClose={() => setHelp(false)} />}
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
    touch(chosen);
  }
  if (query === undefined) return;
  try {
    args.value = JSON.parse(decodeURIComponent(query));
  } catch {
    say("The link has no valid arguments");
  }
});
const app = document.getElementById("app")!;
// index.html shows a text until this script has loaded.
app.replaceChildren();
render(<App />, app);
if (token.value) connectPage(token.value);
