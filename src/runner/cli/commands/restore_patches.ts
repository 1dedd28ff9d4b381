import { UsageError } from "../../../base/errors.ts";
import { pathRules } from "../../../base/fs/path_rules.ts";
import { restoreAll } from "../../patches/restore_patches.ts";
import type { Command } from "../command.ts";
import { refuseOperands } from "../operands.ts";

/**
 * `toolcall restore-patches DIR`: finishes the patches in the state directory DIR whose processes
 * have ended. It is not meant for people: the guard of a patch starts it, and `doctor` does the same.
 */
export const restorePatchesCommand: Command = async (_line, operands) => {
  refuseOperands(operands, 1);
  const [directory] = operands;
  if (directory === undefined || !pathRules.isAbsolute(directory)) {
    throw new UsageError('restore-patches is internal to toolcall; use "toolcall doctor" instead');
  }
  await restoreAll(directory);
  return 0;
};
