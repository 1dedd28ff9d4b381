// OpenAI's chat completions, and every server that speaks them.
import OpenAI from "openai";
import { toolcall } from "./toolcall.mjs";

const client = new OpenAI();
const model = process.env.MODEL;
const messages = [{ role: "user", content: process.argv[2] }];
const tools = toolcall(["list", "Read", "Grep", "Glob", "--format=openai"]);
for (;;) {
  const { choices } = await client.chat.completions.create({ model, messages, tools });
  const { message } = choices[0];
  messages.push(message);
  if (!message.tool_calls) {
    console.log(message.content);
    break;
  }
  messages.push(...toolcall(["--allow-read=.", "--format=openai"], JSON.stringify(message)));
}
