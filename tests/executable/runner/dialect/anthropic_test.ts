/** Anthropic's messages: calls and answers have the types of its package. */
import { expect } from "@std/expect";
import type {
  MessageParam,
  ToolResultBlockParam,
  ToolUseBlockParam,
} from "@anthropic-ai/sdk/resources/messages";
import { executable, temporaryDirectory } from "../../../support/executable.ts";
import { killWhenStuck, until } from "../../../support/wait.ts";
import { answer, fill, PIXEL, PIXEL_BYTES } from "./message.ts";

const flags = ["--allow-read=.", "--format=same"];

const use = (id: string, name: string, input: unknown): ToolUseBlockParam => ({
  type: "tool_use",
  id,
  name,
  input,
});

Deno.test("anthropic > a tool use is answered with a tool result", async () => {
  using directory = temporaryDirectory();
  fill(directory.path);
  const expected: ToolResultBlockParam = {
    type: "tool_result",
    tool_use_id: "toolu_1",
    content: [{ type: "text", text: "first\n" }],
    is_error: false,
  };
  const { exit, printed } = await answer(use("toolu_1", "fs_read", { path: "a.txt" }), {
    flags,
    cwd: directory.path,
  });
  expect({ exit, printed }).toEqual({ exit: 0, printed: expected });
});

Deno.test("anthropic > a message is answered with a user message, and other blocks are ignored", async () => {
  using directory = temporaryDirectory();
  fill(directory.path);
  const message: MessageParam = {
    role: "assistant",
    content: [
      { type: "thinking", thinking: "Hm.", signature: "x" },
      { type: "text", text: "I look." },
      { type: "server_tool_use", id: "srv", name: "web_search", input: { query: "x" } },
      use("1", "Read", { file_path: `${directory.path}/pixel.png` }),
      use("2", "fs_write", { path: "b.txt", content: "b" }),
    ],
  };
  const { exit, printed } = await answer(message, { flags, cwd: directory.path });
  const denied =
    `Permission denied: writing "${directory.path}/b.txt" needs --allow-write=${directory.path}/b.txt`;
  const failed: ToolResultBlockParam = {
    type: "tool_result",
    tool_use_id: "2",
    content: [{ type: "text", text: denied }],
    is_error: true,
  };
  const picture: ToolResultBlockParam = {
    type: "tool_result",
    tool_use_id: "1",
    content: [
      { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } },
      { type: "text", text: `[PNG image, 1 × 1, ${PIXEL_BYTES} bytes]` },
    ],
    is_error: false,
  };
  const expected: MessageParam = { role: "user", content: [picture, failed] };
  expect(printed).toEqual(expected);
  expect(exit).toBe(6);
});

Deno.test("anthropic > the calls of a message run in order when one of them writes", async () => {
  using directory = temporaryDirectory();
  const content = [
    use("1", "fs_write", { path: "n", content: "one" }),
    use("2", "fs_read", { path: "n" }),
    use("3", "fs_write", { path: "n", content: "two" }),
    use("4", "fs_read", { path: "n" }),
    use("5", "fs_read", { path: "n" }),
  ];
  const { exit, printed } = await answer({ role: "assistant", content }, {
    flags: ["--allow-read=.", "--allow-write=.", "--format=anthropic"],
    cwd: directory.path,
  });
  const results = (printed as { content: ToolResultBlockParam[] }).content;
  const texts = results.map((result) => (result.content as { text: string }[])[0]!.text);
  expect([texts[1], texts[3], texts[4]]).toEqual(["one", "two", "two"]);
  expect(exit).toBe(0);
});

Deno.test({
  name: "anthropic > a signal cancels the running call, and the later calls do not run",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    using directory = temporaryDirectory();
    const content = [
      use("1", "Bash", { command: `echo begun; touch ${directory.path}/begun; sleep 600` }),
      use("2", "Bash", { command: `touch ${directory.path}/second` }),
    ];
    const child = new Deno.Command(executable, {
      args: ["-A", "--format=same"],
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(JSON.stringify(content)));
    await writer.close();
    using _ = killWhenStuck(child);
    const names = () => [...Deno.readDirSync(directory.path)].map(({ name }) => name);
    expect(await until(() => names().includes("begun"))).toBe(true);
    child.kill("SIGTERM");
    const { code, stdout } = await child.output();
    const answered = JSON.parse(new TextDecoder().decode(stdout));
    const texts = answered.content.map((result: ToolResultBlockParam) =>
      (result.content as { text: string }[]).map(({ text }) => text).join("\n")
    );
    expect(texts[0]).toContain("begun");
    expect(texts[1]).toContain("cancelled");
    expect(code).toBe(7);
    expect(names()).toEqual(["begun"]);
  },
});
