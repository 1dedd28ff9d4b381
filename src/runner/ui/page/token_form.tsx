/// <reference lib="dom" />
/** The form for the token. */
import { useState } from "preact/hooks";
import { connectPage } from "./session.ts";
import { problem } from "./state.ts";

/** Asks for the token. */
export function TokenForm() {
  const [text, setText] = useState("");
  return (
    <main class="token">
      <form
        class="panel"
        onSubmit={(event) => {
          event.preventDefault();
          connectPage(text);
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
