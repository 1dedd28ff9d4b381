/** A rule of `deno lint`: what must be done with care is done in one module of the program. */
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A call that only one module may make, and what the others use. */
interface Careful {
  /** The source text of the called function. */
  called: RegExp;
  /** The module, as a path in the repository. */
  module: string;
  hint: string;
}

const CAREFUL: readonly Careful[] = [
  {
    called: /^Deno\.env\.get$/,
    module: "src/base/environment.ts",
    hint: "Use readVariable of src/base/environment.ts, which does not throw at a strange value",
  },
];

const plugin: Deno.lint.Plugin = {
  name: "program",
  rules: {
    "one-place": {
      create(context) {
        const { filename, sourceCode } = context;
        const path = filename.startsWith(root) ? filename.slice(root.length) : "";
        if (!/^(src|tools)\/|^\w+\.ts$/.test(path)) return {};
        const others = CAREFUL.filter(({ module }) => module !== path);
        return {
          CallExpression(node) {
            const name = sourceCode.getText(node.callee);
            const found = others.find(({ called }) => called.test(name));
            if (found === undefined) return;
            const message = `Only ${found.module} calls ${name}`;
            context.report({ node, message, hint: found.hint });
          },
        };
      },
    },
  },
};

export default plugin;
