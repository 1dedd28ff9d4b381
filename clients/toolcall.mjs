/**
 * A client of toolcall for Node.js 18 and later. Copy this file into your project.
 *
 *     const result = await call("fs.read", { path: "README.md" }, { flags: ["--allow-read=."] });
 *     process.stdout.write(textOf(result));
 */

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/**
 * The result of a call, in the form of MCP's CallToolResult.
 * @typedef {object} Result
 * @property {Array<{type: string, text?: string} & Record<string, unknown>>} content
 * @property {boolean} isError
 * @property {Record<string, unknown>} [structuredContent]
 * @property {Record<string, any>} [_meta]
 */

/**
 * How toolcall is started: its flags, its path, and its working directory.
 * @typedef {object} Options
 * @property {readonly string[]} [flags]
 * @property {string} [executable]
 * @property {string} [cwd]
 */

/**
 * The text of all text blocks, joined by line ends.
 * @param {Result} result
 * @returns {string}
 */
export function textOf({ content }) {
  return content.filter(({ type }) => type === "text").map(({ text }) => text).join("\n");
}

/**
 * Runs one call in a new process. Rejects if toolcall prints no result.
 * @param {string} name
 * @param {Record<string, unknown>} args
 * @param {Options} [options]
 * @returns {Promise<Result>}
 */
export function call(name, args, { flags = [], executable = "toolcall", cwd } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(executable, ["call", ...flags, "--format=mcp"], { cwd });
    const output = { stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (text) => output.stdout += text);
    child.stderr.setEncoding("utf8").on("data", (text) => output.stderr += text);
    child.on("error", reject);
    child.on("close", () => {
      try {
        resolve(JSON.parse(output.stdout));
      } catch {
        reject(new Error(`toolcall printed no result: ${output.stderr}`));
      }
    });
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify({ name, arguments: args }));
  });
}

/** A process that runs many calls. Call `close` at the end. */
export class Session {
  #child;
  #ended;
  #next = 1;
  /** @type {Map<string, {resolve: (result: Result) => void, reject: (error: Error) => void}>} */
  #waiting = new Map();

  /** @param {Options} [options] */
  constructor({ flags = [], executable = "toolcall", cwd } = {}) {
    this.#child = spawn(executable, ["submit", ...flags, "--quiet"], {
      cwd,
      stdio: ["pipe", "pipe", "inherit"],
    });
    createInterface({ input: this.#child.stdout }).on("line", (line) => {
      const { id, ...result } = JSON.parse(line);
      this.#waiting.get(id)?.resolve(result);
      this.#waiting.delete(id);
    });
    this.#child.stdin.on("error", () => {});
    this.#ended = new Promise((resolve) => {
      const end = () => {
        const error = new Error("toolcall has ended; see its stderr");
        for (const { reject } of this.#waiting.values()) reject(error);
        this.#waiting.clear();
        resolve(undefined);
      };
      this.#child.on("error", end).on("close", end);
    });
  }

  /**
   * Runs one call. Rejects if the process has ended.
   * @param {string} name
   * @param {Record<string, unknown>} args
   * @returns {Promise<Result>}
   */
  call(name, args) {
    return new Promise((resolve, reject) => {
      const id = String(this.#next++);
      if (this.#child.exitCode !== null) return reject(new Error("toolcall has ended"));
      this.#waiting.set(id, { resolve, reject });
      this.#child.stdin.write(`${JSON.stringify({ id, name, arguments: args })}\n`);
    });
  }

  /** Ends the process after its running calls. */
  async close() {
    this.#child.stdin.end();
    await this.#ended;
  }
}
