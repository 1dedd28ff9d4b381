/**
 * A rule of `deno lint`: a foreign key meets own properties only. Every object inherits names such as
 * `constructor`, so `key in object` and a look-up in a table find values that nobody wrote there.
 */
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The directories of the program. Scripts and tests have no foreign keys. */
const PROGRAM = ["src/", "tools/"].map((name) => root + name);

/** Annotations of tables that any string may index. */
const TABLE_TYPE = /^:\s*(Readonly<)?(Record<string,|\{\s*(readonly\s+)?\[\w+: string\]:)/;

const MESSAGE = "A key that is not constant may be a name that every object inherits";
const HINT = "Use Object.hasOwn, a Map, or lookupTable of src/base/lookup_table.ts";

const plugin: Deno.lint.Plugin = {
  name: "own-keys",
  rules: {
    "no-inherited-keys": {
      create(context) {
        if (!PROGRAM.some((directory) => context.filename.startsWith(directory))) return {};
        const { text } = context.sourceCode;
        const tables = new Set<string>();
        const report = (node: Deno.lint.Node) => {
          context.report({ node, message: MESSAGE, hint: HINT });
        };
        return {
          "Program > VariableDeclaration > VariableDeclarator"(node: Deno.lint.VariableDeclarator) {
            const { id, init } = node;
            if (id.type !== "Identifier" || init?.type !== "ObjectExpression") return;
            const { typeAnnotation } = id;
            if (typeAnnotation === undefined) return;
            const [from, to] = typeAnnotation.range;
            if (TABLE_TYPE.test(text.slice(from, to))) tables.add(id.name);
          },
          BinaryExpression(node) {
            if (node.operator === "in" && node.left.type !== "Literal") report(node);
          },
          MemberExpression(node) {
            const { object, property, computed } = node;
            if (!computed || object.type !== "Identifier" || !tables.has(object.name)) return;
            if (property.type === "Literal") return;
            const asked = `Object.hasOwn(${object.name}, `;
            if (!text.includes(asked)) report(node);
          },
        };
      },
    },
  },
};

export default plugin;
