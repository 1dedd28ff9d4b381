import type { RegisteredTool } from "../../registry/registered_tool.ts";
import type { ToolContext } from "../../registry/tool_context.ts";
import { confinedContext, confinedFailure } from "./context.ts";
import { placeHere } from "./in_place.ts";
import type { Job, Place, RunOptions } from "./job.ts";
import { revokeKinds, type RuntimePermissions } from "../policy/permissions.ts";

/**
 * This very thread behind the kernel's wall, which holds its files: `enterWall` puts it
 * there when the call runs. Of the other kinds it gives up, at once and for good, those
 * that `permissions` has nothing of.
 */
export function walledThread(
  tool: RegisteredTool,
  { permissions, enterWall }: {
    permissions: RuntimePermissions;
    enterWall: (job: Job) => void;
  },
): Place {
  const kinds = ["read", "write", "env", "sys", "net", "run", "import"] as const;
  revokeKinds(kinds.filter((name) => {
    const values = permissions[name];
    return values === false || (values !== true && values.length === 0);
  }));
  let isWalled = false;
  const context = (job: Job, options: RunOptions): ToolContext => {
    // A further try of the call is behind it already.
    if (!isWalled) enterWall(job);
    isWalled = true;
    return confinedContext(job, options);
  };
  return placeHere(tool, { context, failure: confinedFailure });
}
