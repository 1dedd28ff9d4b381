/**
 * Starts an MCP server and passes its messages on. The log has the methods that the client sent, and
 * `end` when the client went away. A result with structured content gets another text: many servers
 * repeat the data there, and only a client that reads the data shall have it. Arguments: the log,
 * then the server's command.
 */
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import process from "node:process";

const [log, command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
let rest = "";
process.stdin.on("data", (chunk) => {
  child.stdin.write(chunk);
  const lines = (rest + chunk).split("\n");
  rest = lines.pop();
  for (const line of lines) {
    const method = /"method"\s*:\s*"([^"]+)"/.exec(line)?.[1];
    if (method !== undefined) appendFileSync(log, `${method}\n`);
  }
});
function end() {
  appendFileSync(log, "end\n");
  child.stdin.end();
}
process.stdin.on("end", end);
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) {
  process.on(signal, () => {
    appendFileSync(log, "end\n");
    child.kill(signal);
  });
}
let answers = "";
child.stdout.on("data", (chunk) => {
  const lines = (answers + chunk).split("\n");
  answers = lines.pop();
  for (const line of lines) process.stdout.write(`${withoutRepeatedData(line)}\n`);
});
function withoutRepeatedData(line) {
  if (!line.includes('"structuredContent"')) return line;
  const message = JSON.parse(line);
  for (const block of message.result?.content ?? []) {
    if (block.type === "text") block.text = "See the structured content.";
  }
  return JSON.stringify(message);
}
child.stdin.on("error", () => {});
child.on("close", (code) => process.exit(code ?? 1));
