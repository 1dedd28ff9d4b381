/** Items that wait for somebody other than toolcall, which says for whom. */
import { expect } from "@std/expect";
import type { ToolResultBlockParam, ToolUseBlock } from "@anthropic-ai/sdk/resources/messages";
import type {
  EasyInputMessage,
  ResponseInputItem,
  ResponseOutputItem,
} from "openai/resources/responses/responses";
import { oneLine, temporaryDirectory, toolcall } from "../../../support/executable.ts";
import { answer, fill } from "./message.ts";

const approval: ResponseOutputItem.McpApprovalRequest = {
  type: "mcp_approval_request",
  id: "mcpr_1",
  arguments: "{}",
  name: "drop_table",
  server_label: "database",
};

const waiting: readonly [item: ResponseOutputItem, why: string][] = [
  [approval, 'for the tool "drop_table" of the MCP server "database": it waits for a user'],
  [
    {
      type: "computer_call",
      id: "cu_1",
      call_id: "call_2",
      pending_safety_checks: [],
      status: "completed",
      action: { type: "screenshot" },
    },
    "it waits for a program that controls a computer",
  ],
  [
    {
      type: "tool_search_call",
      id: "ts_1",
      call_id: "call_3",
      arguments: {},
      execution: "client",
      status: "completed",
    },
    "it waits for the program that declared the tools",
  ],
];

const flags = ["--allow-read=.", "--format=same"];

Deno.test("items for others > the answer to each item says whom it waits for, and the other calls run", async (t) => {
  using directory = temporaryDirectory();
  fill(directory.path);
  for (const [item, why] of waiting) {
    await t.step(item.type, async () => {
      const single = await answer(item, { flags, cwd: directory.path });
      expect(single.exit).toBe(3);
      const message = single.printed as EasyInputMessage & { content: string };
      expect(message).toEqual({ type: "message", role: "user", content: message.content });
      expect(message.content).toContain(`Error: Cannot answer the item "${item.type}"`);
      expect(message.content).toContain(why);
      const output: ResponseOutputItem[] = [
        item,
        {
          type: "function_call",
          call_id: "f",
          name: "fs_read",
          arguments: JSON.stringify({ path: "a.txt" }),
        },
      ];
      const both = await answer({ object: "response", output }, { flags, cwd: directory.path });
      const expected: ResponseInputItem[] = [
        { type: "message", role: "user", content: message.content },
        { type: "function_call_output", call_id: "f", output: "first\n" },
      ];
      expect(both).toEqual({ exit: 3, printed: expected });
    });
  }
});

Deno.test("items for others > a result in MCP's form has the error code and the item", async () => {
  const run = await toolcall([], { stdin: JSON.stringify(approval) });
  expect(run.code).toBe(3);
  expect(oneLine(run)).toMatchObject({
    isError: true,
    _meta: { "toolcall/error": { code: "malformed_call", item: "mcp_approval_request" } },
  });
});

Deno.test("items for others > answered approvals and the vendor's own calls are ignored", async () => {
  using directory = temporaryDirectory();
  fill(directory.path);
  const items: ResponseOutputItem[] = [
    approval,
    { type: "mcp_approval_response", id: "r", approval_request_id: "mcpr_1", approve: true },
    {
      type: "web_search_call",
      id: "ws_1",
      status: "completed",
      action: { type: "search", query: "x" },
    },
    { type: "file_search_call", id: "fs_1", status: "completed", queries: [] },
    { type: "mcp_call", id: "mcp_1", arguments: "{}", name: "x", server_label: "y" },
    {
      type: "tool_search_call",
      ...{ id: "ts_2", call_id: "s", arguments: {}, execution: "server", status: "completed" },
    },
    {
      type: "function_call",
      call_id: "f",
      name: "fs_read",
      arguments: JSON.stringify({ path: "a.txt" }),
    },
  ];
  const { exit, printed } = await answer(items, { flags, cwd: directory.path });
  const expected: ResponseInputItem[] = [
    { type: "function_call_output", call_id: "f", output: "first\n" },
  ];
  expect({ exit, printed }).toEqual({ exit: 0, printed: expected });
});

Deno.test("items for others > a block of Anthropic's toolsets waits for the program that controls it", async () => {
  using directory = temporaryDirectory();
  fill(directory.path);
  const block = (id: string, name: string, input: unknown, toolset_name: string | null) =>
    ({
      ...{ type: "tool_use" as const, id, name, input, toolset_name },
      caller: { type: "direct" as const },
    }) satisfies ToolUseBlock;
  const content = [
    block("1", "close_tab", { tab_id: 1 }, "browser"),
    block("2", "fs_read", { path: "a.txt" }, null),
  ];
  const { exit, printed } = await answer({ role: "assistant", content }, {
    flags,
    cwd: directory.path,
  });
  expect(exit).toBe(3);
  const results = (printed as { content: ToolResultBlockParam[] }).content;
  const texts = results.map(({ content }) => (content as { text: string }[])[0]!.text);
  expect(results.map(({ tool_use_id, is_error }) => [tool_use_id, is_error]))
    .toEqual([["1", true], ["2", false]]);
  expect(texts[0]).toContain('toolset "browser"');
  expect(texts[1]).toBe("first\n");
});
