#!/usr/bin/env node
// Starts the executable of this platform, which npm has installed as an optional dependency.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");

const name = `@toolcall/${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "toolcall.cmd" : "toolcall";

/** Returns the path of the executable. Ends with exit code 8 if there is none. */
function findExecutable() {
  try {
    return require.resolve(`${name}/bin/${file}`);
  } catch {
    process.stderr.write(
      `toolcall: Cannot find the package ${name}. Either there is no toolcall for this platform, or ` +
        "npm left out optional dependencies. Install again without --omit=optional\n",
    );
    process.exit(8);
  }
}

const child = spawn(findExecutable(), process.argv.slice(2), {
  stdio: "inherit",
  shell: process.platform === "win32",
});
child.on("error", (error) => {
  process.stderr.write(`toolcall: Cannot start the executable: ${error.message}\n`);
  process.exit(8);
});
// The executable decides what a signal does, and this process ends as it ends.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => {
  process.exitCode = code === null ? 128 + constants.signals[signal] : code;
});
