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

/** A command that a call wants to run. */
export interface Run {
  /** The id of the request. */
  id: unknown;
  /** The caller's name for it. */
  name: string;
  /** The command. */
  command: string;
  /** The token that leads progress to the caller. */
  token: unknown;
  /** Aborted when the command must end. */
  stop: AbortController;
  /** Whether the call has ended before its command. */
  isGone: boolean;
  /** The parts of the output that are on their way to the caller. */
  unread: number;
  /** Called when the caller has read a part of the output. */
  onRead(): void;
}
