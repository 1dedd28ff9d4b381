import { createHash } from "node:crypto";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { ACCOUNTS, FALLBACK_PARENT } from "../src/runner/sandbox/policy/own_paths.ts";
import { type Architecture, nativeHead, ownArchitecture } from "./head/native_head.ts";
import { tar, type TarEntry } from "./tar.ts";

/** The input and the output of `writeSelfExtracting`. */
export interface SelfExtractingOptions {
  /**
   * A directory that contains only files. The executable starts the file `deno` with the file
   * `main.js`.
   */
  directory: string;
  /** The file to write. It is renamed into place when it is complete. */
  output: string;
  /**
   * The parent of the directory to unpack into, if the usual one cannot be used. Default: {@link
   * FALLBACK_PARENT}.
   */
  fallbackParent?: string;
  /** The file that names the home directories of accounts. Default: {@link ACCOUNTS}. */
  accounts?: string;
  /**
   * Its head: machine code for Linux on an architecture, or only the shell script. Default: machine
   * code if this platform has it.
   */
  head?: Architecture | "script";
}

/** The marks for the offsets of the payload, which are known once all other values are set. */
const OFFSETS = [
  "@OFFSET@",
  "@RUNTIME_OFFSET@",
  "@FIRST_OFFSET@",
  "@SECOND_OFFSET@",
  "@END@",
] as const;

/** The runtime, which several versions share in the cache. */
const RUNTIME = "deno";

/** The number of the largest files whose sizes every start checks. */
const CHECKED_FILES = 4;

/** The options of `deno run`. The program needs no files except those beside it. */
export const RUNTIME_FLAGS: readonly string[] = [
  "--allow-all",
  "--no-prompt",
  "--no-config",
  "--no-lock",
  "--no-remote",
  "--no-npm",
  "--cached-only",
  "--node-modules-dir=none",
  "--unstable-worker-options",
  // With this the signal of a request aborts only when its client has gone.
  "--unstable-no-legacy-abort",
  "--quiet",
  // Each module is compiled whole at its first load, so that the code cache has all of it. The
  // baseline compiler is off, because most calls take only a few milliseconds. A call makes less
  // garbage than the 4 MiB here. Without a collection, a call that starts a program takes 3 ms less.
  // With a larger value, the memory of a server grows by a half.
  "--v8-flags=--no-lazy,--no-sparkplug,--min-semi-space-size=4,--max-semi-space-size=4",
];

/**
 * Variables that change what `deno run` itself does or prints, apart from its network and colours.
 * The head renames them. It renames HOME too.
 */
const VARIABLES = [
  "DENO_AUDIT_PERMISSIONS",
  "DENO_AUTH_TOKENS",
  "DENO_AUTO_SERVE",
  "DENO_CACHE_DB_MODE",
  "DENO_COMPAT",
  "DENO_CONDITIONS",
  "DENO_CONNECTED",
  "DENO_COVERAGE_DIR",
  "DENO_DIR",
  "DENO_EMIT_CACHE_MODE",
  "DENO_EXTRA_STDIO_FDS",
  "DENO_LOG",
  "DENO_NODE_TRACE_EVENT_CATEGORIES",
  "DENO_NO_UPDATE_CHECK",
  "DENO_PERMISSION_BROKER_PATH",
  "DENO_SERVE_ADDRESS",
  "DENO_STARTUP_PHASES",
  "DENO_TOKIO_METRICS",
  "DENO_TRACE_PERMISSIONS",
  "DENO_UNSTABLE_CONTROL_SOCK",
  "DENO_V8_FLAGS",
  "NODE_CHANNEL_FD",
  "NODE_CHANNEL_SERIALIZATION_MODE",
  "NODE_DEBUG",
  "NODE_OPTIONS",
  "NODE_UNIQUE_ID",
  "NODE_V8_COVERAGE",
  "OTEL_DENO",
  "OTEL_SDK_DISABLED",
  "RUST_LOG",
];

/** The payload starts at a multiple of this many bytes, as does each file in an archive. */
const BLOCK = 512;

/** The second half of the runtime starts at a multiple of this many bytes. */
const PIECE = 1024 * 1024;

/**
 * Writes an executable: a head, and after it two compressed archives: the files of the directory
 * without the runtime, and the runtime. The archive of the runtime has four compressed parts: the
 * entry, both halves of the file, and the end. So the halves can be unpacked side by side. The same
 * directory and head give the same bytes. Returns its size.
 *
 * @throws {TypeError} when the directory holds anything but files.
 */
export async function writeSelfExtracting(options: SelfExtractingOptions): Promise<number> {
  const files = readFiles(options.directory);
  const runtime = files.find(({ name }) => name === RUNTIME);
  if (runtime === undefined) {
    throw new TypeError(`Cannot pack "${options.directory}": it has no file "${RUNTIME}"`);
  }
  const runtimeHash = createHash("sha256").update(runtime.content).digest("hex").slice(0, 16);
  // The name of this file tells other versions whether they have the same runtime.
  const mark = { name: `${RUNTIME}.${runtimeHash}`, mode: 0o600, content: new Uint8Array() };
  const program = tar([...files.filter((file) => file !== runtime), mark]);
  const archive = tar([runtime]);
  const second = Math.floor(runtime.content.length / 2 / PIECE) * PIECE;
  const cuts = [0, BLOCK, BLOCK + second, BLOCK + runtime.content.length, archive.length];
  const parts = [program, ...cuts.slice(1).map((cut, index) => archive.subarray(cuts[index], cut))];
  const compressed = parts.map((part) => gzipSync(part, { level: 6 }));
  const head = await writeHead(files, {
    ...options,
    runtimeHash,
    programHash: createHash("sha256").update(program).digest("hex"),
    lengths: compressed.map(({ length }) => length),
    secondPiece: second / PIECE,
  });
  const temporary = `${options.output}.${crypto.randomUUID()}`;
  try {
    using file = await Deno.open(temporary, { write: true, createNew: true, mode: 0o755 });
    for (const part of [head, ...compressed]) {
      for (let done = 0; done < part.length;) done += await file.write(part.subarray(done));
    }
    await Deno.chmod(temporary, 0o755);
    await Deno.rename(temporary, options.output);
  } catch (error) {
    await Deno.remove(temporary).catch(() => {});
    throw error;
  }
  return [head, ...compressed].reduce((sum, part) => sum + part.length, 0);
}

function readFiles(directory: string): TarEntry[] {
  const names = [...Deno.readDirSync(directory)].map((entry) => entry.name).toSorted();
  return names.map((name) => {
    const path = join(directory, name);
    const info = Deno.lstatSync(path);
    if (!info.isFile) {
      throw new TypeError(`Cannot pack "${path}": only files can be packed`);
    }
    const mode = ((info.mode ?? 0) & 0o100) === 0 ? 0o600 : 0o700;
    return { name, mode, content: Deno.readFileSync(path) };
  });
}

/** The head, filled in, and padded so that the payload follows at its offset. */
async function writeHead(
  files: TarEntry[],
  {
    fallbackParent = FALLBACK_PARENT,
    accounts = ACCOUNTS,
    head = ownArchitecture() ?? "script",
    runtimeHash,
    programHash,
    lengths,
    secondPiece,
  }: SelfExtractingOptions & {
    runtimeHash: string;
    programHash: string;
    /** The lengths of the compressed parts. */
    lengths: number[];
    /** The number of the piece that the second half of the runtime begins with. */
    secondPiece: number;
  },
): Promise<Uint8Array> {
  const template = await Deno.readTextFile(new URL("head/head.sh", import.meta.url));
  const hash = createHash("sha256").update(template).update(programHash).update(runtimeHash)
    .digest("hex");
  const checked = files.toSorted((a, b) => b.content.length - a.content.length)
    .slice(0, CHECKED_FILES);
  const names = checked.map(({ name }) => name);
  const key = hash.slice(0, 16);
  const size = checked.reduce((sum, file) => sum + file.content.length, 0);
  const values: Record<string, string> = {
    KEY: key,
    SIZE: String(size),
    RUNTIME: runtimeHash,
    RUNTIME_SIZE: String(files.find(({ name }) => name === RUNTIME)!.content.length),
    PIECE: String(PIECE),
    SECOND_PIECE: String(secondPiece),
    FILES: names.map((name) => `"$tc_name/${name}"`).join(" "),
    FLAGS: RUNTIME_FLAGS.join(" "),
    SPARE: fallbackParent,
    ACCOUNTS: accounts,
    VARIABLES: VARIABLES.join(" "),
    ANY_SET: VARIABLES.map((name) => `\${${name}+x}\${TOOLCALL_ENV_${name}+x}`).join(""),
    AGAIN: head === "script" ? 'sh -- "$tc_self"' : '"$tc_self"',
  };
  const script = template.replace(/@([A-Z_]+)@/g, (whole, name: string) => {
    const value = OFFSETS.some((offset) => offset === whole) ? whole : values[name];
    if (value === undefined) throw new Error(`head.sh has ${whole}, which has no value`);
    return value;
  });
  const withOffset = (offset: number) => {
    let [text, at] = [script, offset];
    for (const [index, name] of OFFSETS.entries()) {
      text = text.replace(name, String(at));
      at += lengths[index]!;
    }
    return head === "script" ? new TextEncoder().encode(text) : nativeHead(head, {
      key,
      files: names,
      size,
      variables: VARIABLES,
      flags: RUNTIME_FLAGS,
      script: text,
    });
  };
  const length = Math.ceil((withOffset(0).length + 16) / BLOCK) * BLOCK;
  const padded = new Uint8Array(length).fill("\n".charCodeAt(0));
  padded.set(withOffset(length + 1));
  return padded;
}
