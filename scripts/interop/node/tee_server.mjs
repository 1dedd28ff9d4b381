/**
 * Starts an MCP server and passes its messages on. The log has the methods that the client sent, and
 * `end` when the client went away. Arguments: the log, then the server's command.
 */
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import process from "node:process";

const [log, command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ["pipe", "inherit", "inherit"] });
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
child.stdin.on("error", () => {});
child.on("exit", (code) => process.exit(code ?? 1));
