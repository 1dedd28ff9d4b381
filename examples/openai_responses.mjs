// OpenAI's Responses.
import OpenAI from "openai";
import { toolcall } from "./toolcall.mjs";

const client = new OpenAI();
const model = process.env.MODEL;
const input = [{ role: "user", content: process.argv[2] }];
const tools = toolcall(["list", "Read", "Grep", "Glob", "--format=responses"]);
for (;;) {
  const response = await client.responses.create({ model, input, tools });
  input.push(...response.output);
  if (!response.output.some(({ type }) => type === "function_call")) {
    console.log(response.output_text);
    break;
  }
  input.push(...toolcall(["--allow-read=.", "--format=responses"], JSON.stringify(response)));
}
