import { isObject } from "../../base/json/is_object.ts";
import { version } from "../../base/version.ts";
import { recordOf, type ToolPlace } from "./directory_tool.ts";
import { type FaultyTool, hashOf, readKept, removeOldRecords, writeKept } from "./tool_record.ts";
import type { ToolFile } from "./trusted_files.ts";

/** The tool of a file, or its errors, as long as the identity of the file is the same. */
export type KnownFile =
  & Pick<ToolFile, "identity">
  & ({ name: string; aliases: readonly string[] } | FaultyTool);

/** The known files by their names in the directory. */
export type KnownFiles = [file: string, known: KnownFile][];

/** The files, and the stamp of the directory if a call may rely on them. */
interface KeptIndex {
  stamp: string;
  files: Readonly<Record<string, KnownFile>>;
}

/** So long after a change, a second one gives the directory another time, in milliseconds. */
const SETTLED_MS = 2_000;

/**
 * The names of the tools of a directory. They are kept between calls. So a call of another tool
 * looks at no file of the directory, and a call of one of its tools reads only the file of the tool.
 */
export class DirectoryIndex {
  readonly #place: Omit<ToolPlace, "file">;
  readonly #key: string;
  #stamp = "";

  private constructor(place: Omit<ToolPlace, "file">, key: string) {
    this.#place = place;
    this.#key = key;
  }

  /** The index of a directory. */
  static async of(place: Omit<ToolPlace, "file">): Promise<DirectoryIndex> {
    return new DirectoryIndex(place, await hashOf(place.directory.path));
  }

  /**
   * Returns what reads the kept files if no file was added, removed or renamed since. A file may have
   * another text by now: its tool is then loaded with the new text. Returns `undefined` if somebody
   * has to {@link look}.
   */
  unchanged(): (() => KnownFiles) | undefined {
    const stamp = this.#stampNow();
    if (stamp === "" || readKept(`stamp-${this.#key}`) !== stamp) return undefined;
    return () => {
      const kept = this.#kept();
      return kept?.stamp === stamp ? Object.entries(kept.files) : [];
    };
  }

  /** Looks at each file, and reads the new and changed ones. */
  async look(): Promise<KnownFiles> {
    this.#stamp = this.#stampNow();
    const { directory } = this.#place;
    const before = this.#kept()?.files ?? {};
    const known: KnownFiles = [];
    const files = directory.files().entries();
    const look = async () => {
      for (const [at, { name: file, identity }] of files) {
        const found = Object.hasOwn(before, file) ? before[file] : undefined;
        const isSame = found?.identity === identity;
        known[at] = [file, isSame ? found : await learn({ ...this.#place, file }, identity)];
      }
    };
    // Each new file takes a Worker.
    await Promise.all(Array.from({ length: Math.min(navigator.hardwareConcurrency, 8) }, look));
    return known;
  }

  /** Keeps what {@link look} has found. With `isFinal` calls rely on it until the directory changes. */
  async keep(known: KnownFiles, { isFinal }: { isFinal: boolean }): Promise<void> {
    const lasting = known.filter(([, each]) => !("retry" in each) || each.retry !== "always");
    const isStamped = isFinal && lasting.length === known.length &&
      known.every(([, { identity }]) => identity !== "");
    const value: KeptIndex = {
      stamp: isStamped ? this.#stamp : "",
      files: Object.fromEntries(lasting),
    };
    const before = this.#kept();
    if (before === undefined && known.length === 0) return;
    if (JSON.stringify(before) !== JSON.stringify(value)) {
      await writeKept(`index-${this.#key}`, value);
      removeOldRecords();
    }
    // The stamp alone is small, however many files there are.
    if (readKept(`stamp-${this.#key}`) !== value.stamp) {
      await writeKept(`stamp-${this.#key}`, value.stamp);
    }
  }

  /** A text that another version or any change of the directory's entries makes another one. */
  #stampNow(): string {
    const { identity, changedAt } = this.#place.directory.state();
    return Date.now() - changedAt < SETTLED_MS ? "" : `${version}:${identity}`;
  }

  #kept(): KeptIndex | undefined {
    const kept = readKept(`index-${this.#key}`);
    return isObject(kept) && isObject(kept["files"]) ? kept as unknown as KeptIndex : undefined;
  }
}

/** Reads a file. `before` is the identity that it had. */
async function learn(place: ToolPlace, before: string): Promise<KnownFile> {
  const record = await recordOf(place);
  // Another process may have changed it meanwhile. Then the next call reads it again.
  const identity = place.directory.identityOf(place.file) === before ? before : "";
  if (!("tool" in record)) {
    const { faults, name, retry } = record;
    return {
      ...{ identity, faults },
      ...(name !== undefined && { name }),
      ...(retry !== undefined && { retry }),
    };
  }
  const { name, aliases } = record.tool.metadata;
  return { identity, name, aliases };
}
