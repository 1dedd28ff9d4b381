import { address, type Kernel } from "./kernel.ts";
import { runInChildCode } from "./machine_code.ts";
import type { SystemCallTable, Table } from "./system_call_table.ts";

const [CLONE_VM, CLONE_FILES, CLONE_VFORK] = [0x100, 0x400, 0x4000];
const [PROT_READ, PROT_WRITE, PROT_EXEC, MAP_PRIVATE_ANONYMOUS] = [1, 2, 4, 0x22];
const WAIT_FOR_ANY_KIND = 0x40000000;
const SIG_SETMASK = 2;
const CODE_BYTES = 4096;
const RUN = { parameters: ["buffer"], result: "i64" } as const;

/**
 * Makes the calls of a table in a child with new namespaces. The child shares this process's memory
 * and descriptors, and this thread waits for its end. The child has one thread, which new
 * namespaces need; this process has more. Returns the table with what the calls returned, or
 * nothing where no such child can be made.
 */
export function runInChild(
  kernel: Kernel,
  table: SystemCallTable,
  namespaces: number,
): Table | undefined {
  const code = runInChildCode(Deno.build.arch);
  const memory = kernel.call(
    "mmap",
    0,
    CODE_BYTES,
    PROT_READ | PROT_WRITE,
    MAP_PRIVATE_ANONYMOUS,
    -1,
  );
  const pointer = memory > 0 ? Deno.UnsafePointer.create(BigInt(memory)) : null;
  if (pointer === null) return undefined;
  try {
    new Uint8Array(Deno.UnsafePointerView.getArrayBuffer(pointer, CODE_BYTES)).set(code);
    if (kernel.call("mprotect", memory, CODE_BYTES, PROT_READ | PROT_EXEC) !== 0) return undefined;
    const WORD = 8;
    const bytes = new Uint8Array(WORD + table.size);
    const base = Number(address(bytes)) + WORD;
    const built = table.build(Deno.build.arch, { base, into: bytes.subarray(WORD) });
    const flags = CLONE_VM | CLONE_FILES | CLONE_VFORK | namespaces;
    new BigUint64Array(bytes.buffer, 0, 1)[0] = BigInt(flags);
    const run = new Deno.UnsafeFnPointer<typeof RUN>(
      pointer as Deno.PointerObject<typeof RUN>,
      RUN,
    );
    const child = withoutSignals(kernel, () => Number(run.call(bytes)));
    if (child <= 0) return undefined;
    kernel.call("wait4", child, 0, WAIT_FOR_ANY_KIND);
    return built;
  } finally {
    kernel.call("munmap", memory, CODE_BYTES);
  }
}

/** A handler of this process must not run in the child, which shares its memory. */
function withoutSignals<T>(kernel: Kernel, run: () => T): T {
  const SET_BYTES = 8;
  const before = new Uint8Array(SET_BYTES);
  kernel.call(
    "rt_sigprocmask",
    SIG_SETMASK,
    new Uint8Array(SET_BYTES).fill(0xff),
    before,
    SET_BYTES,
  );
  try {
    return run();
  } finally {
    kernel.call("rt_sigprocmask", SIG_SETMASK, before, 0, SET_BYTES);
  }
}
