// Anthropic's Messages.
import Anthropic from "@anthropic-ai/sdk";
import { toolcall } from "./toolcall.mjs";

const client = new Anthropic();
const model = process.env.MODEL;
const messages = [{ role: "user", content: process.argv[2] }];
const tools = toolcall(["list", "Read", "Grep", "Glob", "--format=anthropic"]);
for (;;) {
  const message = await client.messages.create({ model, max_tokens: 4096, messages, tools });
  messages.push({ role: message.role, content: message.content });
  if (message.stop_reason !== "tool_use") {
    console.log(message.content.map(({ text }) => text ?? "").join(""));
    break;
  }
  messages.push(toolcall(["--allow-read=.", "--format=anthropic"], JSON.stringify(message)));
}
