/** The messages between a call and the host of its shell, which the keeper passes on. */

import type { CommandEnd } from "./shell_driver.ts";

/** The request to run a command. The host answers it at the end of the command. */
export const RUN_COMMAND = "shell/run";
/** The notification that the caller has read a part of the output. */
export const ACK = "shell/ack";
/** The notification that the command shall end. */
export const INTERRUPT = "shell/interrupt";
/** The host's request to end the processes that have started since a time. */
export const END_NEW = "shell/endNew";

/** The answer to {@link RUN_COMMAND}. */
export type RunAnswer = CommandEnd;

/** The exit codes of the shell's process. */
export const SHELL_EXIT = {
  /** The call of the last command knows why the shell has ended. */
  known: 0,
  /** No call knows it. */
  unexpected: 1,
  /** The call of the last command was gone, and the command could only be ended with the shell. */
  abandoned: 2,
} as const;
