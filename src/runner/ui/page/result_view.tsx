/// <reference lib="dom" />
/** The result of a call. Text is always a text node, and never HTML. */
import { useState } from "preact/hooks";
import { type HistoryRow, running } from "./store.tsx";

const MAX_SHOWN = 200_000;

/** Text, with the lines of a diff coloured. */
export function Text({ text }: { text: string }) {
  const cut = text.length > MAX_SHOWN
    ? `${text.slice(0, MAX_SHOWN)}\n… the rest is in the tab JSON`
    : text;
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
          {data.slice(0, 500).map((row, at) => (
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
  const tabs = ["Result", ...(table ? ["Table"] : []), "JSON"];
  return (
    <section class="panel" aria-live="polite" id="result">
      <header class="row">
        <h2>{result.isError ? "Failed" : "Done"}</h2>
        <span class={`badge ${result.isError ? "bad" : "good"}`}>{row.code || "ok"}</span>
        <span class="muted">{row.ms} ms · exit {row.exit}</span>
        <span class="grow" />
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
        ? <pre tabIndex={0}>{JSON.stringify(result, null, 2).slice(0, MAX_SHOWN)}</pre>
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
