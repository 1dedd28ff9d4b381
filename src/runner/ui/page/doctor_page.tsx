/// <reference lib="dom" />
/** The report of doctor, and the configuration. */
import { ConfigFiles } from "./config_files.tsx";
import type { ConfigReport, DoctorReport } from "./page_types.ts";
import { useReport } from "./requests.ts";
import { copy } from "./state.ts";

/** The report of `toolcall doctor`, and the problems of the configuration. */
export function DoctorPage() {
  const [doctor, error] = useReport<DoctorReport>("doctor");
  const [config] = useReport<ConfigReport>("config");
  const groups = [["sandbox", "Sandbox"], ["capability", "Needs of tools"], ["bundle", "Bundles"], [
    "configuration",
    "Configuration",
  ]];
  const kinds = new Set(groups.map(([kind]) => kind));
  return (
    <div class="page">
      <header class="title">
        <h1>Doctor and configuration</h1>
        <p class="muted">What works on this machine, and what is missing.</p>
      </header>
      {error && <p class="notice bad" role="alert">{error}</p>}
      {!doctor ? !error && <p class="muted">Testing the sandbox …</p> : (
        <>
          <p class={`notice ${doctor.ok ? "good" : "bad"}`}>
            {doctor.ok
              ? "The sandbox works."
              : "The sandbox does not work completely. The cards below say why."}
          </p>
          {[...groups, ["", "Other"]].map(([kind, title]) => {
            const found = doctor.findings.filter((each) =>
              kind ? each.kind === kind : !kinds.has(each.kind) && each.kind !== "server"
            );
            return found.length > 0 && (
              <section key={title}>
                <h2>{title}</h2>
                <ul class="grid-list">
                  {found.map((each) => (
                    <li class="panel" key={each.name}>
                      <div class="row">
                        <span
                          class={`mark ${each.ok ? "yes" : "no"}`}
                          aria-label={each.ok ? "works" : "missing"}
                        >
                          {each.ok ? "✓" : "✗"}
                        </span>
                        <b>{each.name}</b>
                      </div>
                      <p class="detail">{each.detail}</p>
                      {!each.ok && each.advice && (
                        <>
                          <pre tabIndex={0}>{each.advice}</pre>
                          <button
                            type="button"
                            aria-label={`Copy the advice for ${each.name}`}
                            onClick={() => copy(each.advice!)}
                          >
                            Copy
                          </button>
                        </>
                      )}
                    </li>
                  ))}
                </ul>
              </section>
            );
          })}
        </>
      )}
      {config && <ConfigFiles config={config} />}
    </div>
  );
}
