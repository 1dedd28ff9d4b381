/** The effect of read-only mounts on the programs of a call, found out by making them. */

import { exists, type Kernel, openKernel } from "./kernel.ts";
import { closeNamespaces, makeNamespaces, type Namespaces } from "./mount_namespace.ts";
import { type MountPlan, mountPlan, type MountPlanOptions } from "./mount_plan.ts";

/** The effect of read-only mounts on a call. */
export interface MountState {
  /** Whether this user can make them on this machine. */
  isMade: boolean;
  /** The real paths inside the write grant that are read-only to programs. */
  readOnly: string[];
  /** The real paths of existing protected files that programs may write all the same. */
  stillWritable: string[];
}

/** Advice for a person on how to get these mounts. */
export const MOUNTS_ADVICE =
  "let this user make namespaces: user.max_user_namespaces above 0, kernel.unprivileged_userns_clone=1 " +
  "and kernel.apparmor_restrict_unprivileged_userns=0 where the system has them; a container has to " +
  "allow unshare and mount";

/** Makes the namespaces for the programs of a call, or nothing where this user may make none. */
export function namespacesFor(
  kernel: Kernel,
  options: Omit<MountPlanOptions, "exists">,
): Namespaces | undefined {
  return makeNamespaces(kernel, planWith(kernel, options));
}

function planWith(kernel: Kernel | undefined, options: MountPlanOptions): MountPlan {
  const look = kernel && ((path: string) => exists(kernel, path));
  return mountPlan({ ...options, ...(look && { exists: look }) });
}

/** Makes the mounts of a call and gives them up again. */
export function mountState(options: Omit<MountPlanOptions, "temporary">): MountState {
  const kernel = openKernel();
  const plan = planWith(kernel, { ...options, temporary: [] });
  const made = kernel && makeNamespaces(kernel, plan);
  if (kernel !== undefined && made !== undefined) closeNamespaces(kernel, made);
  kernel?.close();
  const shut = plan.inside.filter(({ writable }) => !writable).map(({ path }) => path);
  return made === undefined
    ? { isMade: false, readOnly: [], stillWritable: [...plan.protected] }
    : { isMade: true, readOnly: shut, stillWritable: [] };
}
