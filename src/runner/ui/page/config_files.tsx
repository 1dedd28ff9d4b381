/// <reference lib="dom" />
/** The files of the configuration with their faults. */
import type { ConfigReport, FileProblem } from "./page_types.ts";

/** The text of a file with line numbers. The lines with faults are marked. */
function Lines({ text, problems }: { text: string; problems: FileProblem[] }) {
  return (
    <ol class="code-lines" tabIndex={0} aria-label="Text of the file">
      {text.replace(/\n$/, "").split("\n").map((line, at) => {
        const here = problems.filter((each) => each.line === at + 1);
        return (
          <li key={at} class={here.length ? "fault" : ""}>
            <span class="number">{at + 1}</span>
            <code>{line || " "}</code>
            {here.map(({ path, message }) => <p key={path} class="error">{path} {message}</p>)}
          </li>
        );
      })}
    </ol>
  );
}

/** The files of the configuration. Secrets in them are masked by the server. */
export function ConfigFiles({ config }: { config: ConfigReport }) {
  return (
    <section>
      <h2>Configuration files</h2>
      {config.files.length === 0
        ? (
          <p class="empty-note">
            No configuration file. None is needed. toolcall looks for{" "}
            {config.lookedFor.join(" and ")}.
          </p>
        )
        : config.files.map(({ path, problems, text }) => (
          <div class="panel" key={path}>
            <div class="row wrap">
              <code>{path}</code>
              <span class={`badge ${problems.length ? "bad" : "good"}`}>
                {problems.length === 0
                  ? "ok"
                  : `${problems.length} ${problems.length === 1 ? "problem" : "problems"}`}
              </span>
            </div>
            {problems.filter(({ line }) => line === undefined).map((each) => (
              <p key={each.message} class="error">{each.path} {each.message}</p>
            ))}
            {text !== undefined && <Lines text={text} problems={problems} />}
          </div>
        ))}
    </section>
  );
}
