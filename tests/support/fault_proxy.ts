/**
 * Kills or stops a worker at a step of a durable call. A proxy between the worker and its server reads
 * the frames of the NATS protocol, because each step begins or ends with one.
 */
import { concat } from "@std/bytes/concat";
import { Link } from "./link.ts";
import { isStopped } from "./processes.ts";
import { until } from "./wait.ts";

/**
 * The steps at which a worker can end:
 * - `taken`: the server delivers a call, a pack of calls or a task.
 * - `claiming`: the worker sends its claim.
 * - `claimed`: the server has stored the claim, and confirms it.
 * - `run`: the worker sends the result.
 * - `put`: the server has stored the result, and confirms it.
 */
export const FAULT_POINTS = ["taken", "claiming", "claimed", "run", "put"] as const;

/** One of {@link FAULT_POINTS}. */
export type FaultPoint = typeof FAULT_POINTS[number];

/**
 * A step, and how often a worker comes to it until it gets a signal. So `run:25` kills the worker
 * before its 25th result is stored, and `run:1:SIGSTOP` stops it before the first one.
 */
export type Fault = `${FaultPoint}:${number}` | `${FaultPoint}:${number}:SIGSTOP`;

/** A frame: a line, and the payload after it if there is one. */
interface Frame {
  bytes: Uint8Array<ArrayBuffer>;
  operation: string;
  subject: string;
  /** The other words of the line. The last one is the length of the payload. */
  words: string[];
}

/**
 * A proxy in front of a server, for one worker. The worker gets the signal before its frame passes.
 *
 * After SIGKILL nothing passes. After SIGSTOP the frame passes if it is for the worker, which finds it
 * when it continues. A frame from the worker passes only after {@link release}.
 */
export class FaultProxy implements Disposable {
  /** The process that gets the signal. */
  worker: Deno.ChildProcess | undefined;
  readonly #point: string;
  readonly #signal: Deno.Signal;
  /** How often the worker has yet to come to the step. */
  #left: number;
  /** The steps that end with a message to these subjects. */
  readonly #replies = new Map<string, FaultPoint>();
  readonly #released = Promise.withResolvers<void>();
  readonly #link: Link;

  /** Takes the URL of the server, which is on loopback. */
  constructor(url: string, fault: Fault) {
    const [point = "", count, signal = "SIGKILL"] = fault.split(":");
    [this.#point, this.#left, this.#signal] = [point, Number(count), signal as Deno.Signal];
    const forward = (from: Deno.TcpConn, to: Deno.TcpConn) => this.#forward(from, to);
    this.#link = new Link(0, Number(new URL(url).port), forward);
  }

  /** The URL for the worker. */
  get url(): string {
    return `nats://127.0.0.1:${this.#link.port}`;
  }

  /** Lets the frame of a stopped worker pass, and those after it. */
  release(): void {
    this.#released.resolve();
  }

  [Symbol.dispose](): void {
    this.#link[Symbol.dispose]();
    this.release();
  }

  async #forward(from: Deno.TcpConn, to: Deno.TcpConn): Promise<void> {
    const writer = to.writable.getWriter();
    let bytes = new Uint8Array();
    let passed = 0;
    const pass = async () => {
      if (passed > 0) await writer.write(bytes.subarray(0, passed));
      bytes = bytes.subarray(passed);
      passed = 0;
    };
    for await (const part of from.readable) {
      bytes = concat([bytes, part]);
      for (let frame; (frame = readFrame(bytes.subarray(passed))) !== undefined;) {
        if (this.#pointOf(frame) === this.#point && --this.#left === 0) {
          await pass();
          await this.#strike(frame);
        }
        passed += frame.bytes.length;
      }
      await pass();
    }
  }

  /** Sends the signal. Resolves when the frame can pass. */
  async #strike({ operation }: Frame): Promise<void> {
    this.worker!.kill(this.#signal);
    if (this.#signal === "SIGKILL") return this.#link.cut();
    await until(() => isStopped(this.worker!.pid));
    if (operation.endsWith("PUB")) await this.#released.promise;
  }

  #pointOf({ operation, subject, words, bytes }: Frame): FaultPoint | undefined {
    if (operation.endsWith("MSG")) {
      return subject.startsWith("toolcall.job.") ? "taken" : this.#replies.get(subject);
    }
    if (operation !== "HPUB" || !subject.startsWith("toolcall.result.")) return undefined;
    const isClaim = new TextDecoder().decode(bytes).includes("\r\nToolcall-State: running\r\n");
    this.#replies.set(words[0]!, isClaim ? "claimed" : "put");
    return isClaim ? "claiming" : "run";
  }
}

/** Reads the frame at the start of the bytes. Returns `undefined` if a part of it is missing. */
function readFrame(bytes: Uint8Array<ArrayBuffer>): Frame | undefined {
  const end = bytes.indexOf(0x0a) + 1;
  if (end === 0) return undefined;
  const line = new TextDecoder().decode(bytes.subarray(0, end)).trimEnd();
  const [operation = "", subject = "", ...words] = line.split(" ");
  // A line break follows the payload.
  const length = /^H?(PUB|MSG)$/.test(operation) ? end + Number(words.at(-1)) + 2 : end;
  if (bytes.length < length) return undefined;
  return { bytes: bytes.subarray(0, length), operation, subject, words };
}
