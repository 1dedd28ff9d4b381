// Ollama, on this machine or on OLLAMA_HOST.
import { Ollama } from "ollama";
import { toolcall } from "./toolcall.mjs";

const client = new Ollama({ host: process.env.OLLAMA_HOST });
const model = process.env.MODEL;
const messages = [{ role: "user", content: process.argv[2] }];
const tools = toolcall(["list", "Read", "Grep", "Glob", "--format=openai"]);
for (;;) {
  const { message } = await client.chat({ model, messages, tools });
  messages.push(message);
  if (!message.tool_calls) {
    console.log(message.content);
    break;
  }
  messages.push(...toolcall(["--allow-read=.", "--format=ollama"], JSON.stringify(message)));
}
