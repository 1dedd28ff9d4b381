/// <reference lib="dom" />
/** The result of a call. Text is always a text node, and never HTML. */
import { useEffect, useState } from "preact/hooks";
import { isMarkdown, Markdown } from "./markdown.tsx";
import type { HistoryRow } from "./page_types.ts";
import { api } from "./requests.ts";
import { running, save, say } from "./state.ts";

/** The most characters of a text that are drawn. */
const MAX_SHOWN = 200_000;

/** The most rows of a table that are drawn. */
const MAX_ROWS = 500;

/** The text that is drawn. A longer text ends with a note about the rest. */
const cutOf = (text: string) =>
  text.length > MAX_SHOWN
    ? `${text.slice(0, MAX_SHOWN)}\n… ${
      (text.length - MAX_SHOWN).toLocaleString("en")
    } more characters, which Save writes to a file`
    : text;

/** Text, with the lines of a diff coloured. */
export function Text({ text }: { text: string }) {
  const cut = cutOf(text);
  if (!/^(---|\+\+\+|@@) /m.test(cut)) return <pre tabIndex={0}>{cut}</pre>;
  return (
    <pre
      tabIndex={0}
    >{cut.split("\n").map((line, at) => <span key={at} class={line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : line.startsWith("@@") ? "place" : ""}>{`${line}\n`}</span>)}</pre>
  );
}

/** A table of an array of objects. */
function Table({ data }: { data: Record<string, unknown>[] }) {
  const keys = [...new Set(data.flatMap((row) => Object.keys(row)))].slice(0, 12);
  return (
    <div class="scroll" tabIndex={0}>
      <table>
        <thead>
          <tr>{keys.map((key) => <th key={key}>{key}</th>)}</tr>
        </thead>
        <tbody>
          {data.slice(0, MAX_ROWS).map((row, at) => (
            <tr key={at}>
              {keys.map((key) => (
                <td key={key}>
                  {typeof row[key] === "object" ? JSON.stringify(row[key]) : String(row[key] ?? "")}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {data.length > MAX_ROWS && (
        <p class="muted">
          … {(data.length - MAX_ROWS).toLocaleString("en")} more rows, which Save writes to a file
        </p>
      )}
    </div>
  );
}

const tableIn = (data: unknown): Record<string, unknown>[] | undefined => {
  const lists = Array.isArray(data)
    ? [data]
    : data && typeof data === "object"
    ? Object.values(data)
    : [];
  return lists.find((list) =>
    Array.isArray(list) && list.length > 0 &&
    list.every((each) => each && typeof each === "object" && !Array.isArray(each))
  ) as Record<string, unknown>[] | undefined;
};

/** The result as it goes to the API of a model. */
function ForModel({ row }: { row: HistoryRow }) {
  const [forms, setForms] = useState<Record<string, unknown>>({});
  const [chosen, setChosen] = useState("openai");
  useEffect(() => {
    api<Record<string, unknown>>("model", { name: row.name, result: row.result })
      .then(setForms, (why) => say(why.message));
  }, [row]);
  return (
    <>
      <div class="segments" role="group" aria-label="API of the model">
        {["openai", "anthropic", "responses"].map((each) => (
          <button
            type="button"
            key={each}
            aria-pressed={chosen === each}
            onClick={() => setChosen(each)}
          >
            {each}
          </button>
        ))}
      </div>
      <pre
        tabIndex={0}
        id="for-model"
      >{cutOf(JSON.stringify(forms[chosen], null, 2) ?? "")}</pre>
    </>
  );
}

/** The result with its tabs. */
export function ResultView({ row }: { row: HistoryRow | undefined }) {
  const [tab, setTab] = useState("Result");
  const current = running.value;
  if (current) {
    return (
      <section class="panel" aria-live="polite">
        <h2>
          Running<span class="spinner" />
        </h2>
        {current.log.length > 0 && <Text text={current.log.join("\n")} />}
      </section>
    );
  }
  if (!row?.result) {
    return (
      <section class="panel empty" aria-live="polite">
        <p>Run the call to see its result here.</p>
      </section>
    );
  }
  const { result } = row;
  const table = tableIn(result.structuredContent);
  const text = result.content.map((part) => part.text ?? "").join("\n");
  const tabs = [
    "Result",
    ...(isMarkdown(text) ? ["Markdown"] : []),
    ...(table ? ["Table"] : []),
    "JSON",
    "For the model",
    ...(row.log?.length ? ["Log"] : []),
  ];
  return (
    <section class="panel" aria-live="polite" id="result">
      <header class="row">
        <h2>{result.isError ? "Failed" : "Done"}</h2>
        <span class={`badge ${result.isError ? "bad" : "good"}`}>{row.code || "ok"}</span>
        <span class="muted">{row.ms} ms · exit {row.exit}</span>
        <span class="grow" />
        <button
          type="button"
          class="quiet"
          title="Save the whole result as a file"
          onClick={() => save(`${row.name}-result.json`, JSON.stringify(result, null, 2))}
        >
          Save
        </button>
        <div class="segments" role="tablist">
          {tabs.map((each) => (
            <button
              type="button"
              role="tab"
              aria-selected={tab === each}
              key={each}
              onClick={() => setTab(each)}
            >
              {each}
            </button>
          ))}
        </div>
      </header>
      {tab === "JSON"
        ? <pre tabIndex={0}>{cutOf(JSON.stringify(result, null, 2))}</pre>
        : tab === "For the model"
        ? <ForModel key={row.id} row={row} />
        : tab === "Log"
        ? <Text text={row.log!.join("\n")} />
        : tab === "Markdown"
        ? <Markdown text={text} />
        : tab === "Table" && table
        ? <Table data={table} />
        : result.content.map((part, at) =>
          part.type === "text"
            ? <Text key={at} text={part.text ?? ""} />
            : part.type === "image" && /^image\/(png|jpeg|gif|webp)$/.test(part.mimeType ?? "")
            ? (
              <img
                key={at}
                alt="An image of the result"
                src={`data:${part.mimeType};base64,${part.data}`}
              />
            )
            : <pre key={at} tabIndex={0}>{JSON.stringify(part, null, 2)}</pre>
        )}
    </section>
  );
}
