/** Questions on a real terminal: the test presses keys and reads the screen. */
import { expect } from "@std/expect";
import { has } from "../../../support/programs.ts";
import { hasTerminals, type Outcome, TerminalSession } from "../../../support/pseudo_terminal.ts";
import { pause } from "../../../support/wait.ts";

const ignore = !hasTerminals;

const library = {
  question: "Which library should format dates?",
  header: "Library",
  options: [
    { label: "date-fns", description: "Small functions" },
    { label: "Temporal", description: "Part of the language" },
    { label: "Luxon", description: "Time zones" },
  ],
};
const parts = {
  question: "Which parts should be tested?",
  header: "Tests",
  multiSelect: true,
  options: [
    { label: "Parser", description: "Reads" },
    { label: "Writer", description: "Writes" },
  ],
};

const [UP, DOWN, ENTER, ESC] = ["\x1b[A", "\x1b[B", "\r", "\x1b"];

/** The modes, the cursor and the colors of the terminal must be as before. */
function expectRestored({ modes }: Outcome, { written }: TerminalSession): void {
  expect(modes.after).toBe(modes.before);
  expect(modes.before).toContain("icanon");
  expect(written.lastIndexOf("\x1b[?25h")).toBeGreaterThan(written.lastIndexOf("\x1b[?25l"));
  expect(written.lastIndexOf("\x1b[0m")).toBeGreaterThanOrEqual(written.lastIndexOf("\x1b[2m"));
}

Deno.test({
  name: "a terminal > keys choose an option",
  ignore,
  async fn(t) {
    const ways: [name: string, keys: string, answer: string][] = [
      ["Enter takes the first", "", "date-fns"],
      ["down", DOWN, "Temporal"],
      ["down in the application mode of the cursor keys", "\x1bOB", "Temporal"],
      ["down and up", DOWN + DOWN + UP, "Temporal"],
      ["j and k", "jjjk", "Luxon"],
      ["up wraps around to the last entry, and moves on", UP + UP, "Luxon"],
      ["a digit", "3", "Luxon"],
      [
        "a digit without an entry, and keys without a meaning",
        "2907x\x1b[5~\x1b[1;5C\x01\x1bx",
        "Temporal",
      ],
      ["space in a single choice", "2 ", "Temporal"],
    ];
    for (const [name, keys, answer] of ways) {
      await t.step(name, async () => {
        await using session = new TerminalSession({ args: { questions: [library] } });
        await session.sees("4. Other…");
        await session.press(keys + ENTER);
        const outcome = await session.end();
        expect(outcome.text).toBe(`Question: ${library.question}\nAnswer: ${answer}`);
        expect(outcome.exit).toBe(0);
        expect(session.lines()).toEqual([`Library: ${answer}`]);
        expectRestored(outcome, session);
      });
    }
  },
});

Deno.test({
  name: "a terminal > the question and its options are shown, and the selected entry is marked",
  ignore,
  async fn() {
    await using session = new TerminalSession({ args: { questions: [library, parts] }, flags: [] });
    await session.sees("4. Other…");
    expect(session.lines()).toEqual([
      "1/2 Library",
      "Which library should format dates?",
      "Arrow keys or digits move, Enter confirms, Esc declines",
      "> 1. date-fns",
      "     Small functions",
      "  2. Temporal",
      "     Part of the language",
      "  3. Luxon",
      "     Time zones",
      "  4. Other…",
    ]);
    await session.press(DOWN);
    await session.sees("> 2. Temporal");
    expect(session.text()).not.toContain("> 1.");
    await session.press(ENTER);
    await session.sees("> 1. [ ] Parser");
    expect(session.lines().slice(0, 3)).toEqual([
      "Library: Temporal",
      "2/2 Tests",
      "Which parts should be tested?",
    ]);
    await session.press(`${DOWN} `);
    await session.sees("> 2. [x] Writer");
    await session.press(ENTER);
    const outcome = await session.end();
    expect(session.lines()).toEqual(["Library: Temporal", "Tests: Writer"]);
    expect(outcome.text).toContain("Answer: Temporal\n\nQuestion: Which parts should be tested?");
    expectRestored(outcome, session);
  },
});

Deno.test({
  name: "a terminal > space selects several options, and the answer lists them in their order",
  ignore,
  async fn(t) {
    const ways: [name: string, keys: string, answer: string][] = [
      ["both, the second first", "2 1 ", "Parser, Writer"],
      ["one is deselected", "1 2 1 ", "Writer"],
      ["free text besides", "1 3 the docs\r", "Parser, the docs"],
      ["free text is deselected", "1 3 the docs\r 1", "Parser"],
      ["free text stays empty", "1 3 \r1", "Parser"],
    ];
    for (const [name, keys, answer] of ways) {
      await t.step(name, async () => {
        await using session = new TerminalSession({ args: { questions: [parts] } });
        await session.sees("3. [ ] Other…");
        await session.press(keys + ENTER);
        expect((await session.end()).text).toBe(`Question: ${parts.question}\nAnswer: ${answer}`);
      });
    }
    await t.step("an empty selection is not accepted", async () => {
      await using session = new TerminalSession({ args: { questions: [parts] } });
      await session.sees("3. [ ] Other…");
      await session.press(ENTER);
      await session.sees("Nothing is selected yet");
      await session.press(` ${ENTER}`);
      expect((await session.end()).text).toContain("Answer: Parser");
    });
  },
});

Deno.test({
  name: "a terminal > free text is written and corrected by whole characters",
  ignore,
  async fn(t) {
    const ways: [name: string, keys: string, words: string][] = [
      ["plain", "neither  of them", "neither  of them"],
      ["outside ASCII", "Grüße, 天地 👍🏽", "Grüße, 天地 👍🏽"],
      ["backspace deletes a whole character", "ae\u0301天👍🏽x\x7f\x7f\x7f\x7fb", "ab"],
      ["backspace at the start", "\x7f\x7fa\bb", "b"],
      ["ctrl-U", "everything\x15nothing", "nothing"],
      ["keys of the list are free text", "j1k 3", "j1k 3"],
      ["spaces around are dropped", "  yes ", "yes"],
      ["arrow keys write nothing", `y${UP}${DOWN}\x1b[Des`, "yes"],
    ];
    for (const [name, keys, words] of ways) {
      await t.step(name, async () => {
        await using session = new TerminalSession({ args: { questions: [library] } });
        await session.sees("4. Other…");
        await session.press(`4${ENTER}`);
        await session.sees("Enter accepts this text");
        await session.press(keys + ENTER);
        const outcome = await session.end();
        expect(outcome.text).toContain(`Answer (as free text): ${words}`);
        expectRestored(outcome, session);
      });
    }
    await t.step(
      "a character that arrives in two parts is one character, and the cursor follows",
      async () => {
        await using session = new TerminalSession({ args: { questions: [library] } });
        await session.sees("4. Other…");
        await session.press(`4${ENTER}`);
        await session.sees("Enter accepts this text");
        const [first, ...others] = new TextEncoder().encode("天");
        await session.pressBytes([first!]);
        await pause(200, "The two parts of the character must arrive at different times");
        await session.pressBytes(others);
        await session.press(" ");
        await session.sees("> 4. 天");
        await session.shows(() => session.beforeCursor() === "> 4. 天 ");
        await session.press(`${ESC}`);
        await session.sees("> 4. Other: 天");
        await session.press(`1${ENTER}`);
        expect((await session.end()).text).toContain("Answer: date-fns");
      },
    );
  },
});

Deno.test({
  name: "a terminal > Esc, Ctrl-C and Ctrl-D decline, and the call returns no answer",
  ignore,
  async fn(t) {
    for (const [name, key] of [["Esc", ESC], ["Ctrl-C", "\x03"], ["Ctrl-D", "\x04"]] as const) {
      for (const flags of [["-A"], []]) {
        await t.step(`${name} ${flags}`, async () => {
          const args = { questions: [library, parts] };
          await using session = new TerminalSession({ args, flags });
          await session.sees("1/2 Library");
          await session.sees("4. Other…");
          await session.press(ENTER);
          await session.sees("2/2 Tests");
          await session.sees("3. [ ] Other…");
          await session.press(key);
          const outcome = await session.end();
          expect(outcome.exit).toBe(1);
          expect(outcome.text).toContain('declined to answer the question "Tests"');
          expect(outcome._meta?.["toolcall/error"]).toMatchObject({ declined: true });
          expect(session.lines()).toEqual(["Library: date-fns", "Tests: no answer"]);
          expectRestored(outcome, session);
        });
      }
    }
    await t.step("Ctrl-C declines while free text is written", async () => {
      await using session = new TerminalSession({ args: { questions: [library] } });
      await session.sees("4. Other…");
      await session.press(`4${ENTER}half a sen\x03`);
      const outcome = await session.end();
      expect(outcome.exit).toBe(1);
      expectRestored(outcome, session);
    });
  },
});

Deno.test({
  name: "a terminal > a signal cancels the question and restores the terminal",
  ignore,
  async fn(t) {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
      for (const flags of [["-A"], []]) {
        for (const TERM of ["xterm", "dumb"]) {
          await t.step(`${signal} ${flags} TERM=${TERM}`, async () => {
            const args = { questions: [library] };
            await using session = new TerminalSession({ args, flags, env: { TERM } });
            await session.sees("4. Other…");
            session.signal(signal);
            const outcome = await session.end();
            expect(outcome.exit).toBe(7);
            expect(outcome._meta?.["toolcall/error"].code).toBe("cancelled");
            expect(outcome.modes.after).toBe(outcome.modes.before);
            if (TERM === "xterm") expectRestored(outcome, session);
          });
        }
      }
    }
  },
});

Deno.test({
  name: "a terminal > a closed terminal ends the question, and the error says so",
  ignore,
  async fn(t) {
    for (const TERM of ["xterm", "dumb"]) {
      await t.step(`TERM=${TERM}`, async () => {
        await using session = new TerminalSession({
          args: { questions: [library] },
          env: { TERM },
        });
        await session.sees("4. Other…");
        const { content, _meta } = await session.hangUp();
        // The signal and the end of the terminal arrive in either order.
        expect(["cancelled", "unavailable"]).toContain(_meta!["toolcall/error"].code);
        expect(content[0]!.text).toMatch(/^(Cancelled|The terminal)/);
      });
    }
  },
});

Deno.test({
  name: "a terminal > a call fails when its terminal belongs to another session",
  ignore: ignore || !has("setsid"),
  async fn() {
    const args = { questions: [library] };
    await using session = new TerminalSession({ args, before: "setsid -w" });
    const { exit, text } = await session.end();
    expect(exit).toBe(8);
    expect(text).toContain("not the controlling terminal of this process");
  },
});

Deno.test({
  name: "a terminal > input that was typed before a question appeared is ignored",
  ignore,
  async fn() {
    await using session = new TerminalSession({ args: { questions: [library, parts] } });
    await session.press("\r3\r");
    await session.sees("4. Other…");
    // The rest of a paste into one question does not answer the next question.
    await session.press("2\r 3 \r\r");
    await session.sees("2/2 Tests");
    await session.sees("> 1. [ ] Parser");
    await session.press(` ${ENTER}`);
    const { text } = await session.end();
    expect(text).toContain("Answer: Temporal");
    expect(text).toContain("Answer: Parser");
  },
});

Deno.test({
  name: "a terminal > a small terminal shows as much as fits, with the selected entry",
  ignore,
  async fn(t) {
    await t.step("20 columns", async () => {
      const args = { questions: [library] };
      await using session = new TerminalSession({ args, size: { columns: 20, rows: 24 } });
      await session.sees("4. Other…");
      expect(session.lines()).toEqual([
        ...["Library", "Which library", "should format", "dates?"],
        ...["Arrow keys or", "digits move, Enter", "confirms, Esc", "declines"],
        ...["> 1. date-fns", "     Small", "     functions"],
        ...["  2. Temporal", "     Part of the", "     language"],
        ...["  3. Luxon", "     Time zones", "  4. Other…"],
      ]);
      await session.press(`4${ENTER}`);
      await session.sees("> 4.");
      await session.press("words that take three lines of it");
      await session.sees("of it");
      await session.press(ENTER);
      const outcome = await session.end();
      expect(session.text()).toBe("Library: words that\ntake three lines of\nit");
      expect(outcome.text).toContain("words that take three lines of it");
    });
    await t.step("6 rows", async () => {
      const args = { questions: [library] };
      await using session = new TerminalSession({ args, size: { columns: 80, rows: 6 } });
      await session.sees("> 1. date-fns");
      for (
        const [key, entry] of [["j", "> 2. T"], ["j", "> 3. L"], ["j", "> 4. O"], ["j", "> 1. d"]]
      ) {
        await session.press(key!);
        await session.sees(entry!);
      }
      await session.press(`jj${ENTER}`);
      expect((await session.end()).text).toContain("Answer: Luxon");
      expect(session.lines()).toEqual([
        "Library",
        "Which library should format dates?",
        "Library: Luxon",
      ]);
    });
    for (const [columns, rows] of [[1, 1], [3, 2], [5, 1], [200, 2], [2, 50]] as const) {
      await t.step(`${columns} × ${rows}`, async () => {
        const args = { questions: [library] };
        await using session = new TerminalSession({ args, size: { columns, rows } });
        await session.shows(() => session.written.includes("\x1b[?25l"));
        await session.press(`jj4${ENTER}天地x\x7f${ENTER}`);
        const outcome = await session.end();
        expect(outcome.text).toContain("Answer (as free text): 天地");
        expectRestored(outcome, session);
      });
    }
  },
});

Deno.test({
  name: "a terminal > a question is redrawn in place when the terminal is resized",
  ignore,
  async fn() {
    await using session = new TerminalSession({ args: { questions: [library] } });
    await session.sees("4. Other…");
    const sizes: [columns: number, hint: string[]][] = [
      [30, ["Arrow keys or digits move,", "Enter confirms, Esc declines"]],
      [120, ["Arrow keys or digits move, Enter confirms, Esc declines"]],
      [24, ["Arrow keys or digits", "move, Enter confirms,", "Esc declines"]],
      [80, ["Arrow keys or digits move, Enter confirms, Esc declines"]],
    ];
    for (const [columns, hint] of sizes) {
      session.resize(columns, 24);
      await session.shows(() => {
        const lines = session.lines();
        const at = lines.indexOf(hint[0]!);
        return lines[0] === "Library" && lines.lastIndexOf("Library") === 0 &&
          lines.slice(at, at + hint.length).join() === hint.join() &&
          lines.filter((line) => line.startsWith("> 1. date-fns")).length === 1 &&
          lines.at(-1) === "  4. Other…";
      }, `${columns} columns`);
    }
    await session.press(`1${ENTER}`);
    expect((await session.end()).text).toContain("Answer: date-fns");
    expect(session.lines()).toEqual(["Library: date-fns"]);
  },
});

Deno.test({
  name: "a terminal > control characters in a question are shown as text and never obeyed",
  ignore,
  async fn(t) {
    const hostile = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202eabc\u200b\ttab\r\n\x1b[?1049h";
    const args = {
      questions: [{
        question: `Go on? ${hostile}`,
        header: "\x1b[31m",
        options: [
          { label: `Yes${hostile}`, description: hostile },
          { label: "No", description: "\x1b]52;c;aGk=\x07" },
        ],
      }],
    };
    for (const TERM of ["xterm", "dumb"]) {
      await t.step(`TERM=${TERM}`, async () => {
        await using session = new TerminalSession({ args, env: { TERM, NO_COLOR: "1" } });
        await session.sees("3. Other…");
        for (const shown of ["\\u001b]0;owned\\u0007", "\\u009b31m", "\\u202eabc\\u200b    tab"]) {
          expect(session.text()).toContain(shown);
        }
        await session.press(`1${ENTER}`);
        const { text } = await session.end();
        expect(text).toContain(`Answer: Yes${hostile}`);
        const raw = session.written.match(
          // deno-lint-ignore no-control-regex
          /\x1b(?!\[(\d*A|J|\?25[hl]))|[\u0080-\u009f\u0007\u202e\u200b]/,
        );
        expect(raw).toBeNull();
      });
    }
  },
});

Deno.test({
  name: "a terminal > colors are omitted when NO_COLOR is set",
  ignore,
  async fn() {
    // deno-lint-ignore no-control-regex
    const color = /\x1b\[[0-9;]*m/;
    for (const [NO_COLOR, hasColor] of [["1", false], ["", true]] as const) {
      await using session = new TerminalSession({
        args: { questions: [library] },
        env: { NO_COLOR },
      });
      await session.sees("4. Other…");
      await session.press(ENTER);
      await session.end();
      expect(color.test(session.written)).toBe(hasColor);
    }
  },
});

Deno.test({
  name: "a terminal > a question longer than the screen can be read completely by scrolling back",
  ignore,
  async fn() {
    const steps = Array.from({ length: 100 }, (_, at) => `${at + 1}. Step ${at + 1} of the plan`);
    const question = { ...library, question: `${steps.join("\n")}\n\nCarry this out?` };
    await using session = new TerminalSession({ args: { questions: [question] } });
    await session.sees("4. Other…");
    await session.press(DOWN);
    await session.sees("> 2. Temporal");
    expect(session.lines().slice(0, 104)).toEqual([
      "Library",
      ...steps,
      "",
      "Carry this out?",
      "Arrow keys or digits move, Enter confirms, Esc declines",
    ]);
    await session.press(ENTER);
    expect((await session.end()).exit).toBe(0);
    expect(session.lines().slice(101)).toEqual(["", "Carry this out?", "Library: Temporal"]);
  },
});

Deno.test({
  name: "a terminal > a dumb terminal asks by numbers",
  ignore,
  async fn(t) {
    const ways: [name: string, question: typeof library, typed: string[], answer: string][] = [
      ["a number", library, ["2\n"], "Answer: Temporal"],
      ["free text", library, ["rather none\n"], "Answer (as free text): rather none"],
      ["a line that is corrected on the terminal", library, ["22\x7f\n"], "Answer: Temporal"],
      ["free text by its number", library, ["4\n", "Grüße\n"], "Answer (as free text): Grüße"],
      ["several options", parts, ["2, 1\n"], "Answer: Parser, Writer"],
      ["several options and free text", parts, ["1 3\n", "docs\n"], "Answer: Parser, docs"],
      [
        "an empty line and an unknown number are asked again",
        library,
        ["\n", "9\n", "1\n"],
        "date-fns",
      ],
    ];
    for (const [name, question, typed, answer] of ways) {
      await t.step(name, async () => {
        const args = { questions: [question] };
        await using session = new TerminalSession({ args, flags: [], env: { TERM: "dumb" } });
        for (const [at, line] of typed.entries()) {
          await session.shows(() => (session.text().match(/text: ?/g)?.length ?? 0) > at);
          await session.press(line);
        }
        expect((await session.end()).text).toContain(answer);
        expect(session.written).not.toContain("\x1b");
        expect(session.text()).toContain("  1. ");
      });
    }
    await t.step("Ctrl-D declines", async () => {
      const args = { questions: [library] };
      await using session = new TerminalSession({ args, env: { TERM: "dumb" } });
      await session.sees("text:");
      await session.press("\x04");
      const outcome = await session.end();
      expect(outcome.text).toContain("declined");
      expect(outcome.exit).toBe(1);
    });
    await t.step("Ctrl-C cancels", async () => {
      const args = { questions: [library] };
      await using session = new TerminalSession({ args, env: { TERM: "dumb" } });
      await session.sees("text:");
      await session.press("\x03");
      expect((await session.end()).exit).toBe(7);
    });
  },
});
