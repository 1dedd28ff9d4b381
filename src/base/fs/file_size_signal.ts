/**
 * Makes a write fail with `EFBIG` if it would exceed the system's limit for the size of a file.
 * Without this, the signal of that limit would end this process without a result. Programs that are
 * started later get the signal as usual. The head of the self-extracting executable does the same
 * for a limit that it finds.
 */
export function ignoreFileSizeSignal(): void {
  if (Deno.build.os !== "windows") Deno.addSignalListener("SIGXFSZ", ignore);
}

function ignore(): void {}
