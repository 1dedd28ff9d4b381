// The AI SDK, with any of its providers.
import { openai } from "@ai-sdk/openai";
import { generateText, jsonSchema } from "ai";
import { toolcall } from "./toolcall.mjs";

const model = openai.chat(process.env.MODEL);
const messages = [{ role: "user", content: process.argv[2] }];
const tools = toolcall(["list", "Read", "Grep", "Glob", "--format=ai-sdk"]);
for (const tool of Object.values(tools)) tool.inputSchema = jsonSchema(tool.inputSchema);
for (;;) {
  const { text, toolCalls, response } = await generateText({ model, messages, tools });
  messages.push(...response.messages);
  if (toolCalls.length === 0) {
    console.log(text);
    break;
  }
  messages.push(toolcall(["--allow-read=.", "--format=ai-sdk"], JSON.stringify(toolCalls)));
}
