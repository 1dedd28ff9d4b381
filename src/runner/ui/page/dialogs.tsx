/// <reference lib="dom" />
/** The dialogs of the page. */
import { useEffect, useRef, useState } from "preact/hooks";
import { api } from "./requests.ts";
import { asked, say } from "./state.ts";

/** A dialog that keeps the focus inside. */
export function Dialog(
  { children, onClose, label }: {
    children: preact.ComponentChildren;
    onClose: () => void;
    label: string;
  },
) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    box.current!.showModal();
    // The browser gives the focus back only when a dialog closes, and this one is removed.
    return () => before?.focus();
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

/** The question of a tool. */
export function QuestionDialog() {
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
  ["1 – 8", "Open a page"],
  ["?", "Show these keys"],
];

/** The keyboard shortcuts of the page. */
export function KeyHelp({ onClose }: { onClose: () => void }) {
  return (
    <Dialog label="Keys" onClose={onClose}>
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
      <button type="button" onClick={onClose}>Close</button>
    </Dialog>
  );
}
