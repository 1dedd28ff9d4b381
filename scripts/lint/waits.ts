/**
 * A rule of `deno lint`: a test waits for a state with the functions of `tests/support/wait.ts`, not
 * for a time. A time that is enough on a quiet machine is too short on a busy one.
 */
import { fileURLToPath } from "node:url";

const tests = fileURLToPath(new URL("../../tests/", import.meta.url));

/** The module that may use timers. */
const HELPER = `${tests}support/wait.ts`;

/** The functions that wait for a time. */
const TIMERS = ["delay", "setTimeout", "sleep"];

/**
 * A shell command that waits for a time. A loop that sleeps between two checks of a state does not
 * match.
 */
const SLEEP = /(?<!\bdo )\bsleep +(\d*\.?\d+)/g;

/** A sleep of at least so many seconds represents a program that does not end by itself. */
const ENDLESS_SECONDS = 30;

/** The fewest words of a reason. */
const MIN_WORDS = 4;

const MESSAGE = "A test must not wait for a time";
const HINT =
  "Use until, waitFor or nextTurn of tests/support/wait.ts. Where the time is what the " +
  "test is about, use pause(ms, reason), or end the line of a shell's sleep with // time: reason";

const plugin: Deno.lint.Plugin = {
  name: "tests",
  rules: {
    "no-waiting-for-time": {
      create(context) {
        if (!context.filename.startsWith(tests) || context.filename === HELPER) return {};
        const lines = context.sourceCode.text.split("\n");
        const lineOf = (at: number) => context.sourceCode.text.slice(0, at).split("\n").length - 1;
        const report = (node: Deno.lint.Node) => {
          context.report({ node, message: MESSAGE, hint: HINT });
        };
        const readText = (node: Deno.lint.Node, text: string) => {
          const isShort = [...text.matchAll(SLEEP)]
            .some(([, seconds]) => Number(seconds) < ENDLESS_SECONDS);
          if (!isShort) return;
          const [from, to] = [lineOf(node.range[0]), lineOf(node.range[1])];
          const reason = lines.slice(Math.max(0, from - 1), to + 2)
            .map((line) => /\/\/ time: (.*)/.exec(line)?.[1]).find((each) => each !== undefined);
          if (reason === undefined || wordsOf(reason) < MIN_WORDS) report(node);
        };
        return {
          CallExpression(node) {
            const { callee } = node;
            const name = callee.type === "Identifier"
              ? callee.name
              : callee.type === "MemberExpression" && callee.property.type === "Identifier"
              ? callee.property.name
              : "";
            if (TIMERS.includes(name)) report(node);
            if (name !== "pause") return;
            const reason = node.arguments[1];
            const isGiven = reason?.type === "Literal" && typeof reason.value === "string" &&
              wordsOf(reason.value) >= MIN_WORDS;
            if (!isGiven) report(node);
          },
          Literal(node) {
            if (typeof node.value === "string") readText(node, node.value);
          },
          TemplateElement(node) {
            readText(node, node.cooked);
          },
        };
      },
    },
  },
};

export default plugin;

function wordsOf(text: string): number {
  return text.split(/\s+/).filter((word) => /\w/.test(word)).length;
}
