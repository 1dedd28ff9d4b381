// LangChain, with any of its chat models.
import { ChatOpenAI } from "@langchain/openai";
import { toolcall } from "./toolcall.mjs";

const tools = toolcall(["list", "Read", "Grep", "Glob", "--format=openai"]);
const model = new ChatOpenAI({ model: process.env.MODEL }).bindTools(tools);
const messages = [{ role: "user", content: process.argv[2] }];
for (;;) {
  const message = await model.invoke(messages);
  messages.push(message);
  if (!message.tool_calls?.length) {
    console.log(message.text);
    break;
  }
  const calls = JSON.stringify(message.tool_calls);
  messages.push(...toolcall(["--allow-read=.", "--format=langchain"], calls));
}
