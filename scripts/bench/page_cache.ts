/**
 * Puts files into the state that they have in daily use. A file that was just written is in the page
 * cache in large pieces, so that programs start faster from it. After each start of the machine, the
 * pages are read again. The system then reads small pieces for most programs.
 */
import { Missing } from "./rows.ts";

/** `POSIX_FADV_DONTNEED` of `fcntl.h`: the file is not needed in memory. */
const DONT_NEED = 4;

/** The largest part of a file that may stay in memory for it to count as dropped. */
const MAX_RESIDENT = 0.05;

/**
 * Drops the pages of the files at `paths` from memory. An ordinary user may do that for files that
 * no process has mapped. Throws `Missing` where it does not work, such as on a file system in
 * memory.
 */
export function dropPages(paths: readonly string[]): void {
  if (Deno.build.os !== "linux") throw new Missing("Pages can be dropped on Linux only");
  const libc = openLibrary();
  try {
    for (const path of paths) dropPagesOf(libc, path);
  } finally {
    libc.close();
  }
}

/** The part of a file that is in memory, from 0 to 1 (mincore(2)). Linux only. */
export function residentPart(path: string): number {
  using file = Deno.openSync(path);
  const libc = openLibrary();
  const fd = libc.symbols.open(new TextEncoder().encode(`${path}\0`), 0);
  try {
    return residentPartOf(libc, fd, file.statSync().size);
  } finally {
    libc.symbols.close(fd);
    libc.close();
  }
}

function dropPagesOf(libc: ReturnType<typeof openLibrary>, path: string): void {
  using file = Deno.openSync(path);
  // Only pages that are on the disk already can be dropped.
  file.syncSync();
  const fd = libc.symbols.open(new TextEncoder().encode(`${path}\0`), 0);
  try {
    libc.symbols.posix_fadvise(fd, 0n, 0n, DONT_NEED);
    const { size } = file.statSync();
    if (size > 0 && residentPartOf(libc, fd, size) > MAX_RESIDENT) {
      throw new Missing("The system did not drop the pages of the executable");
    }
  } finally {
    libc.symbols.close(fd);
  }
}

function residentPartOf(libc: ReturnType<typeof openLibrary>, fd: number, size: number): number {
  const [READ, SHARED] = [1, 1];
  const address = libc.symbols.mmap(null, BigInt(size), READ, SHARED, fd, 0n);
  const pages = new Uint8Array(Math.ceil(size / libc.symbols.getpagesize()));
  try {
    if (libc.symbols.mincore(address, BigInt(size), pages) !== 0) return 0;
  } finally {
    libc.symbols.munmap(address, BigInt(size));
  }
  return pages.reduce((sum, page) => sum + (page & 1), 0) / pages.length;
}

function openLibrary() {
  return Deno.dlopen("libc.so.6", {
    open: { parameters: ["buffer", "i32"], result: "i32" },
    close: { parameters: ["i32"], result: "i32" },
    getpagesize: { parameters: [], result: "i32" },
    posix_fadvise: { parameters: ["i32", "i64", "i64", "i32"], result: "i32" },
    mmap: { parameters: ["pointer", "u64", "i32", "i32", "i32", "i64"], result: "pointer" },
    munmap: { parameters: ["pointer", "u64"], result: "i32" },
    mincore: { parameters: ["pointer", "u64", "buffer"], result: "i32" },
  });
}
