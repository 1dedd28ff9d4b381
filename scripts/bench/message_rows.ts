/** The row of one message with many calls. */
import { readCall, readFlags, toolcall } from "./calls.ts";
import { timeOf } from "./processes.ts";
import { atMost, type Section } from "./rows.ts";
import type { Workspace } from "./workspace.ts";

const CALLS = 40;

/** An assistant's message with forty calls of `Read`, beside a message with one. */
export function messageSection(workspace: Workspace): Section {
  const [many, one] = [`message of ${CALLS} Read calls`, "message of one Read call"];
  return {
    rounds: 10,
    rows: [{ name: "message", group: "resident", of: many, to: one, target: atMost(3) }],
    subjects: {
      [many]: () => message(workspace, CALLS),
      [one]: () => message(workspace, 1),
    },
  };
}

async function message(workspace: Workspace, count: number) {
  const { name, arguments: input } = await readCall(workspace);
  const content = Array.from({ length: count }, (_, at) => ({
    ...{ type: "tool_use", id: `call_${at}` },
    ...{ name, input },
  }));
  const program = await toolcall(workspace, readFlags(workspace));
  return timeOf({ ...program, stdin: JSON.stringify({ role: "assistant", content }) });
}
