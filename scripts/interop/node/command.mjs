/** Runs a command line program as a client, once for each request. */
import { spawn } from "node:child_process";
import process from "node:process";

/** Runs a script of Node, as `runProgram` does. */
export function runScript(args, options) {
  return runProgram([process.execPath, ...args], options);
}

/**
 * Runs a program and resolves to what it printed and its exit code. `signal` interrupts it as Ctrl+C
 * does. A line on stderr that tells of progress goes to `onProgress`.
 */
export function runProgram([command, ...args], { env, signal, onProgress }) {
  const child = spawn(command, args, {
    env,
    stdio: ["ignore", "pipe", "pipe"],
    // Ctrl+C reaches every process of the terminal's foreground group.
    detached: true,
  });
  signal?.addEventListener("abort", () => process.kill(-child.pid, "SIGINT"), { once: true });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk) => stdout += chunk);
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
    if (/progress/i.test(String(chunk))) onProgress?.();
  });
  return new Promise((resolve) => {
    child.on("close", (code, by) => resolve({ stdout, stderr, code, by }));
  });
}

/** A configuration with one server, as most clients read it. Returns its path. */
export function configuration(server) {
  return JSON.stringify({ mcpServers: { server } });
}
