import { atomicWrite } from "../../../base/fs/atomic_write.ts";
import { ByteSource, failMissing } from "../read/byte_source.ts";
import { fileKind, kindName } from "../read/file_kind.ts";
import { type LockedFile, lockFile } from "../../../base/fs/file_lock.ts";
import { statRegular } from "../../../base/fs/file_target.ts";
import { cannot, type FileTarget } from "../../../base/fs/system_error.ts";
import { fromWide, toWide, type WideEncoding, wideEncoding, wideName } from "../read/wide_text.ts";
import type { CallFile } from "../call_file.ts";

/**
 * Replaces a text file of up to `limit` bytes by the result of `change`. The text is UTF-8, or
 * UTF-16 with a byte order mark. The file is replaced as a whole, under the lock that all edits
 * take, so that no edit is lost. Returns what `change` returned. Throws a readable error, one of
 * `change` and one for a missing file included, and then the file is unchanged. `advice` ends the
 * message for a file that is too large.
 */
export async function changeFile<Change extends { readonly bytes: Uint8Array<ArrayBuffer> }>(
  target: CallFile,
  { limit, advice, signal, change }: {
    limit: number;
    advice: string;
    signal: AbortSignal;
    change: (before: Uint8Array<ArrayBuffer>) => Change | Promise<Change>;
  },
): Promise<Change> {
  using locked = await lockFile(target, { signal, read: true });
  if (!locked) return await failMissing(target);
  const bytes = await new ByteSource(locked.file, { target, signal }).readAll(limit, advice);
  const wide = wideEncoding(bytes);
  const kind = fileKind(bytes);
  if (wide === undefined && kind.is !== "text") {
    throw new Error(`${cannot(target)}: it is ${kindName(kind)}, not text`);
  }
  const changed = await change(wide ? inUtf8(bytes, { wide, target }) : bytes);
  refuseChanged(locked, target);
  const written = wide ? toWide(changed.bytes, wide) : changed.bytes;
  atomicWrite(target, { bytes: written, like: locked.info });
  return changed;
}

function inUtf8(
  bytes: Uint8Array<ArrayBuffer>,
  { wide, target }: { wide: WideEncoding; target: FileTarget },
): Uint8Array<ArrayBuffer> {
  try {
    return fromWide(bytes, wide);
  } catch {
    throw new Error(`${cannot(target)}: it is ${wideName(wide)}, but not valid`);
  }
}

/** Programs that know nothing of the lock may write meanwhile: their work is not overwritten. */
function refuseChanged({ info }: LockedFile, target: FileTarget): void {
  const now = statRegular(target);
  const same = now?.ino === info.ino && now.size === info.size &&
    now.mtime?.getTime() === info.changed;
  if (!same) {
    throw new Error(`${cannot(target)}: another program changed it just now; read it again`);
  }
}
