// Google's Gemini.
import { GoogleGenAI } from "@google/genai";
import { toolcall } from "./toolcall.mjs";

const client = new GoogleGenAI({ apiKey: process.env.GEMINI_API_KEY });
const model = process.env.MODEL;
const contents = [{ role: "user", parts: [{ text: process.argv[2] }] }];
const tools = toolcall(["list", "Read", "Grep", "Glob", "--format=gemini"]);
for (;;) {
  const response = await client.models.generateContent({ model, contents, config: { tools } });
  const { content } = response.candidates[0];
  contents.push(content);
  if (!response.functionCalls) {
    console.log(response.text);
    break;
  }
  contents.push(toolcall(["--allow-read=.", "--format=gemini"], JSON.stringify(content)));
}
