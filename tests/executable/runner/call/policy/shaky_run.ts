import type { ToolContext } from "../../../../../src/runner/registry/tool_context.ts";

/** The arguments of the shaky tools. */
export const shakySchema = {
  type: "object",
  properties: {
    path: { type: "string", description: "The file that gets a line for each try" },
    failures: { type: "integer", description: "The number of tries that fail", default: 0 },
    stays: { type: "boolean", description: "Whether the failures are permanent", default: false },
    retry_after: {
      type: "integer",
      description: "The pause that a failure asks for, in milliseconds",
    },
  },
  required: ["path"],
  additionalProperties: false,
} as const;

/** Adds a line to the file, and fails as often as the arguments say. */
export function shakyRun(
  args: { path: string; failures: number; stays: boolean; retry_after?: number | undefined },
  ctx: Pick<ToolContext, "path">,
): string {
  const path = ctx.path(args.path);
  Deno.writeTextFileSync(path, "tried\n", { append: true });
  const tries = Deno.readTextFileSync(path).split("\n").length - 1;
  if (tries > args.failures) return `Done at try ${tries}`;
  throw new Error(`It shakes at try ${tries}`, {
    cause: {
      ...(!args.stays && { passing: true }),
      ...(args.retry_after !== undefined && { retryAfterMs: args.retry_after }),
    },
  });
}
