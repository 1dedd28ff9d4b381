import type { PermissionKind } from "../../registry/define.ts";
import type { Program } from "../../program.ts";
import type { Grants } from "../policy/grants.ts";
import { permissionsOf } from "../policy/permissions.ts";
import type { Executor } from "./executor.ts";
import type { WorkerPool } from "./worker_pool.ts";

/**
 * Runs a call in a Worker of the pool. With `landlock` the Worker takes on the kernel's restrictions
 * before its first call. They open every file that the flags open to the kinds of the tool.
 */
export function pooledWorker(
  { pool, program, grants, kinds, landlock }: {
    pool: WorkerPool;
    program: Program;
    grants: Grants;
    kinds: readonly PermissionKind[];
    landlock: boolean;
  },
): Executor {
  const { workerModule } = program;
  const own = Deno.realPathSync(program.directory);
  const permissions = { ...permissionsOf(kinds, { grants, own }), ffi: true };
  if (!landlock) return pool.executor(JSON.stringify(kinds), { permissions, workerModule });
  // The kernel restricts the paths, so the runtime only restricts the other kinds.
  const opened = { ...permissions, read: true, write: true } as const;
  const kind = JSON.stringify([kinds, grants]);
  return pool.executor(kind, {
    permissions: opened,
    workerModule,
    landlock: { programFolder: own },
  });
}
