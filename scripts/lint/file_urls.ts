/**
 * A rule of `deno lint`: the URL of a module's file becomes a path by `fileURLToPath`. Its `pathname`
 * has escapes in place of blanks and of letters outside ASCII, and names no file then.
 */

const plugin: Deno.lint.Plugin = {
  name: "file-urls",
  rules: {
    "no-pathname": {
      create(context) {
        return {
          MemberExpression(node) {
            const { object, property } = node;
            if (property.type !== "Identifier" || property.name !== "pathname") return;
            if (!context.sourceCode.getText(object).includes("import.meta.url")) return;
            context.report({
              node,
              message: "The pathname of a URL is no path",
              hint: "Use fileURLToPath of node:url",
            });
          },
        };
      },
    },
  },
};

export default plugin;
