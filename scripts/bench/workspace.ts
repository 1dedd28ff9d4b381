/** The files that the bench needs while it runs: unpacked executables, a copy of Deno, inputs. */
import { join } from "node:path";
import { makeRunDirectory } from "./cache_directory.ts";
import { dropPages } from "./page_cache.ts";
import { runProgram } from "./processes.ts";
import { Missing } from "./rows.ts";

/**
 * The state of an unpacked executable. In the state `daily` its pages were dropped from memory and
 * read again. In the state `fresh` they are still those that were written when it was unpacked.
 */
export type State = "daily" | "fresh";

/** A directory that the bench removes when it ends. Everything in it is made at its first use. */
export class Workspace implements Disposable {
  /** The executable that is measured. */
  readonly executable: string;
  /** A directory for the files that calls read and write. */
  readonly files: string;
  /** The directory of the bench's own files. No call may write to it. */
  readonly directory: string;
  readonly #made = new Map<string, Promise<unknown>>();

  /** Makes the directory in the bench's cache, which is on a disk as the user's cache is. */
  constructor(executable: string, parent?: string) {
    this.executable = executable;
    this.directory = makeRunDirectory(parent);
    this.files = join(this.directory, "files");
    Deno.mkdirSync(this.files);
  }

  /** Removes the directory. */
  [Symbol.dispose](): void {
    Deno.removeSync(this.directory, { recursive: true });
  }

  /** Returns the result of `make`, which is called once for each `key`. */
  once<T>(key: string, make: () => T | Promise<T>): Promise<T> {
    const made = this.#made.get(key) ?? (async () => await make())();
    this.#made.set(key, made);
    return made as Promise<T>;
  }

  /** The variables with which an executable runs as it was unpacked in `state`. */
  unpacked(state: State, executable = this.executable): Promise<Record<string, string>> {
    return this.once(`${state} ${executable}`, async () => {
      const cache = Deno.makeTempDirSync({ dir: this.directory, prefix: `${state}-` });
      const env = { TOOLCALL_CACHE_DIR: cache };
      const version = { command: [executable, "--version"], env };
      await runProgram(version);
      if (state === "daily") {
        this.dropUnpacked(cache);
        await runProgram(version);
      }
      return env;
    });
  }

  /** The variables of daily use, or those of a fresh executable where pages cannot be dropped. */
  async unpackedAsUsual(): Promise<Record<string, string>> {
    try {
      return await this.unpacked("daily");
    } catch (error) {
      if (error instanceof Missing) return await this.unpacked("fresh");
      throw error;
    }
  }

  /** Drops the pages of an unpacked executable. The next start reads them again. */
  dropUnpacked(cache: string): void {
    dropPages(filesIn(cache).filter((path) => Deno.statSync(path).size > 0));
  }

  /** A file of the unpacked executable, such as `rg`. Throws `Missing` if there is no such file. */
  async part(name: string): Promise<string> {
    const { TOOLCALL_CACHE_DIR: cache } = await this.unpacked("fresh");
    const path = filesIn(cache!).find((each) => each.endsWith(`/${name}`));
    if (path === undefined) throw new Missing(`The executable has no file ${name}`);
    return path;
  }

  /** A bare `deno run` of a program that prints one word: the floor of the cold rows. */
  floor(): Promise<string[]> {
    return this.once("floor", async () => {
      // A running program's pages cannot be dropped, so the floor has a copy of this Deno.
      const deno = join(this.directory, "deno");
      Deno.copyFileSync(Deno.execPath(), deno);
      const script = join(this.directory, "hello.js");
      Deno.writeTextFileSync(script, 'console.log("hello");\n');
      try {
        dropPages([deno]);
      } catch (error) {
        // The floor is a little faster without dropped pages, so the ratios are slightly too large.
        if (!(error instanceof Missing)) throw error;
      }
      await runProgram({ command: [deno, "run", script] });
      return [deno, "run", script];
    });
  }

  /** A file of about `bytes` bytes of text, in lines. Returns its path. */
  textFile(bytes: number): Promise<string> {
    return this.once(`text ${bytes}`, () => {
      const path = join(this.files, `text_${bytes}.txt`);
      const line = "A line of text\n";
      Deno.writeTextFileSync(path, line.repeat(Math.ceil(bytes / line.length)));
      return path;
    });
  }

  /**
   * A directory tree of `count` files of `size` bytes, a hundred in each directory. A third of the
   * files are `.ts` files, and each hundredth contains the word "needle". Returns its path.
   */
  tree(count: number, size: number): Promise<string> {
    return this.once(`tree ${count} ${size}`, () => {
      const tree = join(this.directory, `tree_${count}_${size}`);
      const text = "const name = value(argument, other) + 1;\n".repeat(Math.ceil(size / 41));
      const [plain, found] = [text.slice(0, size), `needle\n${text}`.slice(0, size)];
      for (let at = 0; at < count; at++) {
        const directory = `${tree}/${Math.floor(at / 10_000)}/${Math.floor(at / 100)}`;
        if (at % 100 === 0) Deno.mkdirSync(directory, { recursive: true });
        const path = `${directory}/file_${at}.${["ts", "js", "md"][at % 3]}`;
        Deno.writeTextFileSync(path, at % 100 === 0 ? found : plain);
      }
      return tree;
    });
  }
}

/** Every file below a directory. */
function filesIn(directory: string): string[] {
  return [...Deno.readDirSync(directory)].flatMap(({ name, isDirectory, isFile }) => {
    const path = join(directory, name);
    return isDirectory ? filesIn(path) : isFile ? [path] : [];
  });
}
