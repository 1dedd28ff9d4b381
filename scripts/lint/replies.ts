/**
 * A rule of `deno lint`: only `src/runner/remote/replies.ts` answers messages of NATS. A caller can name
 * any reply subject, and an answer is sent with the rights of the worker.
 */
import { fileURLToPath } from "node:url";

const sources = fileURLToPath(new URL("../../src/", import.meta.url));

/** The directory whose files handle messages of NATS. */
const REMOTE = `${sources}runner/remote/`;

/** The module that may answer. */
const ANSWERS = `${REMOTE}replies.ts`;

/** The members of a message that lead to its reply subject. */
const MEMBERS = ["reply", "respond"];

const plugin: Deno.lint.Plugin = {
  name: "nats",
  rules: {
    "no-other-replies": {
      create(context) {
        const { filename, sourceCode: { text } } = context;
        const isClient = filename.startsWith(sources) && text.includes('"@nats-io/');
        if (filename === ANSWERS || !filename.startsWith(REMOTE) && !isClient) return {};
        return {
          MemberExpression(node) {
            const { property } = node;
            const name = property.type === "Identifier" ? property.name : "";
            const text = property.type === "Literal" ? property.value : "";
            if (!MEMBERS.includes(name) && !MEMBERS.includes(String(text))) return;
            context.report({
              node,
              message: "Only src/runner/remote/replies.ts answers messages of NATS",
              hint: "Use Replies.open(message), and send the answer with what it returns",
            });
          },
        };
      },
    },
  },
};

export default plugin;
