/** A rule of `deno lint`: what must be done with care is done in few modules of the program. */
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A call that only some modules may make, and what the others use. */
interface Careful {
  /** The source text of the called function. */
  called: RegExp;
  /** The modules, as paths in the repository. */
  modules: readonly string[];
  hint: string;
}

const CAREFUL: readonly Careful[] = [
  {
    called: /^Deno\.env\.get$/,
    modules: ["src/base/environment.ts"],
    hint: "Use readVariable of src/base/environment.ts, which does not throw at a strange value",
  },
  {
    called: /^(drawRaw|writeRaw)$/,
    modules: [
      ...[
        "src/base/terminal/screen.ts",
        "src/runner/ask/ask_permission.ts",
        "src/runner/ask/view.ts",
        "src/runner/cli/streams.ts",
      ],
      ...["src/runner/cli/print/elapsed_line.ts", "src/runner/submit/progress_bar.ts"],
    ],
    hint: "Use show or writeAll, which escape what a terminal would obey",
  },
  {
    called: /^(Deno\.|process\.)?(stdout|stderr)\.write(Sync)?$/,
    modules: ["src/base/fs/eager_pipes.ts", "src/runner/telemetry/exporter.ts"],
    hint: "Use writeAll of src/runner/cli/streams.ts, which escapes what a terminal would obey",
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
        const others = CAREFUL.filter(({ modules }) => !modules.includes(path));
        return {
          CallExpression(node) {
            const name = sourceCode.getText(node.callee);
            const found = others.find(({ called }) => called.test(name));
            if (found === undefined) return;
            const message = `Only ${found.modules.join(", ")} may call ${name}`;
            context.report({ node, message, hint: found.hint });
          },
        };
      },
    },
  },
};

export default plugin;
