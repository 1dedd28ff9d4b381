/** Exports traces and metrics of the calls of this process. A process of its own does so. */

import { delay } from "@std/async/delay";
import { type Screen, show } from "../../base/terminal/screen.ts";
import { escapeControls } from "../../base/text/escape_controls.ts";
import { ownVariable } from "../own_environment.ts";
import type { Program } from "../program.ts";
import { openKernel, withholdDescriptors } from "../sandbox/linux/kernel.ts";
import { takeOtelVariables } from "./otel_variables.ts";
import type { RecordedCall } from "./recorded_call.ts";

/** The longest wait at the end for the exporter, in milliseconds. It then goes on by itself. */
const MAX_WAIT_MS = 3_000;

/** The most characters that wait for the exporter. Further calls are not exported. */
const MAX_WAITING = 4 * 2 ** 20;

/** The options of the runtime for the exporter, which needs no files and no network of its own. */
const OPTIONS = [
  ...["run", "--quiet", "--no-prompt", "--no-config", "--no-lock", "--no-remote", "--no-npm"],
  ...["--allow-env", "--allow-ffi"],
];

/**
 * Takes the variables of OpenTelemetry out of this process, and returns what exports its calls to
 * the endpoint that they name. `screen` gets the reason if nothing can be exported.
 */
export function openTelemetry(program: Program, screen: Screen): Telemetry {
  return new Telemetry(program, screen, takeOtelVariables());
}

/**
 * Exports calls. The exporter of the runtime runs in another process, because a call may restrict
 * this one for good, and because no tool may use it. That process starts with the first call.
 */
export class Telemetry {
  #ready = Promise.resolve();
  #ended = Promise.resolve();
  #writer: WritableStreamDefaultWriter<Uint8Array> | undefined;
  #waiting = "";
  #writing: Promise<void> | undefined;
  #dropped = 0;
  #isStarted = false;

  /** Takes the variables that were taken out of this process. Nothing starts yet. */
  constructor(
    readonly program: Program,
    readonly screen: Screen,
    readonly variables: Readonly<Record<string, string>>,
  ) {}

  /**
   * Starts the exporter, if it does not run. It has to start before a call restricts this process.
   * Resolves once no other process of the user can read the variables in the exporter's environment.
   */
  start(): Promise<void> {
    if (this.#isStarted) return this.#ready;
    this.#isStarted = true;
    if (this.program.isBundled && ownVariable("executable") === undefined) {
      this.#warn("this build cannot export; use the self-extracting executable");
      return this.#ready;
    }
    const kernel = openKernel();
    // One of them may be a lock of the caller, which would outlive this process.
    if (kernel !== undefined) withholdDescriptors(kernel);
    kernel?.close();
    try {
      const child = new Deno.Command(Deno.execPath(), {
        args: [...OPTIONS, new URL("./exporter.ts", import.meta.url).href],
        env: exporterVariables(this.variables),
        // A signal of the terminal is for this process.
        detached: true,
        stdin: "piped",
        stdout: "piped",
        stderr: "piped",
      }).spawn();
      this.#writer = child.stdin.getWriter();
      const ready = Promise.withResolvers<void>();
      this.#ready = ready.promise;
      child.stdout.pipeTo(new WritableStream({ write: () => ready.resolve() })).catch(() => {});
      this.#ended = this.#watch(child).finally(() => ready.resolve());
      child.unref();
    } catch (error) {
      this.#warn((error as Error).message);
    }
    return this.#ready;
  }

  /** Gives a call to the exporter. Never waits, and never throws. */
  record(call: RecordedCall): void {
    if (this.#writer === undefined) return;
    if (this.#waiting.length > MAX_WAITING) {
      this.#dropped++;
      return;
    }
    this.#waiting += `${JSON.stringify(call)}\n`;
    this.#writing ??= this.#writeAll(this.#writer).finally(() => this.#writing = undefined);
  }

  /** Waits until everything is exported, but not long. Nothing may be recorded any more. */
  async end(): Promise<void> {
    const writer = this.#writer;
    if (writer === undefined) return;
    const exported = (async () => {
      await this.#writing;
      await writer.close().catch(() => {});
      await this.#ended;
    })();
    await Promise.race([exported, delay(MAX_WAIT_MS)]);
    if (this.#dropped > 0) {
      await this.#warn(`${this.#dropped} calls are missing: the exporter is too slow`);
    }
  }

  async #writeAll(writer: WritableStreamDefaultWriter<Uint8Array>): Promise<void> {
    try {
      while (this.#waiting !== "") {
        const text = this.#waiting;
        this.#waiting = "";
        await writer.write(new TextEncoder().encode(text));
      }
    } catch {
      // The exporter has ended, and `#watch` says why.
      this.#writer = undefined;
    }
  }

  /** Reports it if the exporter fails. */
  async #watch(child: Deno.ChildProcess): Promise<void> {
    const stderr = await new Response(child.stderr).text();
    const { code } = await child.status;
    if (code === 0) return;
    const [line = ""] = stderr.trim().split("\n");
    await this.#warn(line.replace(/^error: /, "") || `the exporter ended with code ${code}`);
  }

  #warn(why: string): Promise<void> {
    const line = `toolcall: Cannot export telemetry: ${escapeControls(why)}\n`;
    return show(this.screen, line).catch(() => {});
  }
}

/** Returns the variables of the exporter: those of the caller, with our defaults. */
function exporterVariables(given: Readonly<Record<string, string>>): Record<string, string> {
  const isNamed = /(^|,)\s*service\.name=/.test(given["OTEL_RESOURCE_ATTRIBUTES"] ?? "");
  return {
    ...(!isNamed && { OTEL_SERVICE_NAME: "toolcall" }),
    // The default of the standard. The runtime's own default ignores the caller's decision.
    OTEL_TRACES_SAMPLER: "parentbased_always_on",
    // The standard's queue of 2,048 spans loses a quarter of a thousand calls a second.
    ...{ OTEL_BSP_MAX_QUEUE_SIZE: "65536", OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "4096" },
    ...given,
    ...{ OTEL_DENO: "true", OTEL_DENO_CONSOLE: "ignore", NO_COLOR: "1" },
  };
}
