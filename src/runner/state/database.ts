import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { CallError } from "../../base/errors.ts";
import { ignoreFileSizeSignal } from "../../base/fs/file_size_signal.ts";
import { quote } from "../../base/text/quote.ts";
import { fileIdentity, fileSize, isUnwritable, makePrivateFile } from "./store_file.ts";
import { migrations as currentMigrations } from "./migrations.ts";
import { isBusy, storeFaultReason } from "./store_fault.ts";

/** Marks an SQLite file as this program's ("tcll"). See `PRAGMA application_id`. */
const APPLICATION_ID = 0x74636c6c;

/** The time that a write waits for other processes and blocks the thread, in milliseconds. */
const BUSY_MS = 20_000;
/** The pause between two tries to switch to the write-ahead log, in milliseconds. */
const PAUSE_MS = 10;

/** One row of a result. */
export type Row = Record<string, unknown>;

/**
 * The SQLite file of a state directory. Several processes may open it: a write waits for theirs.
 * Every method throws `unavailable`, which names the file and the remedy.
 */
export class Database {
  #db: DatabaseSync;
  #identity: string;

  /**
   * Opens the file, creates it if it is missing, and migrates an older schema in one transaction. A
   * file of another program, a damaged file and a file of a newer version stay unchanged.
   * `migrations` are those from an empty file to the schema of this program.
   */
  constructor(
    readonly path: string,
    private readonly migrations: readonly (readonly string[])[] = currentMigrations,
  ) {
    ignoreFileSizeSignal();
    this.#db = this.#try(() => {
      makePrivateFile(path);
      return new DatabaseSync(path, { timeout: BUSY_MS });
    });
    try {
      this.#try(() => this.#prepareFile());
    } catch (error) {
      this.#db.close();
      this.#db = this.#openUnwritable(error);
    }
    this.#identity = fileIdentity(path);
  }

  /** Whether the file that is open is still the one at its path. */
  get isCurrentFile(): boolean {
    return this.#identity !== "" && fileIdentity(this.path) === this.#identity;
  }

  /**
   * Opens a store that cannot be written, for example on a read-only disk, for reading. Throws
   * `error` when the store needs a migration, or when some of it may be in the write-ahead log.
   * Only a writable store can be read together with that log.
   */
  #openUnwritable(error: unknown): DatabaseSync {
    if (!isUnwritable(this.path) || fileSize(`${this.path}-wal`) > 0) throw error;
    const url = new URL("file:///?immutable=1");
    url.pathname = this.path.replaceAll("%", "%25");
    this.#db = new DatabaseSync(url, { readOnly: true });
    try {
      if (this.#try(() => this.#isCurrent())) return this.#db;
    } catch {
      // The first error is more exact.
    }
    this.#db.close();
    throw error;
  }

  #isCurrent(): boolean {
    return this.#number("application_id") === APPLICATION_ID &&
      this.#number("user_version") === this.migrations.length;
  }

  /** The rows of a query. */
  rows(sql: string, ...values: SQLInputValue[]): Row[] {
    const read = () => this.#db.prepare(sql).all(...values);
    return sql.startsWith("SELECT") ? this.#transact(read, "BEGIN") : this.#transact(read);
  }

  /** Runs a statement. Returns how many rows it changed. */
  run(sql: string, ...values: SQLInputValue[]): number {
    return this.#transact(() => Number(this.#db.prepare(sql).run(...values).changes));
  }

  /** Runs `work` as one step that other processes see whole or not at all. */
  step<T>(work: () => T): T {
    return this.#transact(work);
  }

  /**
   * Runs `work` in a transaction. In it the schema cannot change any more, so a newer version that
   * has migrated the file meanwhile is seen.
   */
  #transact<T>(work: () => T, begin: "BEGIN" | "BEGIN IMMEDIATE" = "BEGIN IMMEDIATE"): T {
    return this.#try(() => {
      if (this.#db.isTransaction) return work();
      this.#do(begin);
      try {
        this.#refuseNewer();
        const result = work();
        this.#do("COMMIT");
        return result;
      } catch (error) {
        if (this.#db.isTransaction) this.#do("ROLLBACK");
        throw error;
      }
    });
  }

  /** Closes it. */
  close(): void {
    this.#db.close();
  }

  #prepareFile(): void {
    if (this.#isCurrent()) return;
    // A transaction, so that no half-finished change of another process is seen.
    this.step(() => this.#refuseForeign());
    this.#enterWriteAheadLog();
    this.step(() => this.#isCurrent() || this.#migrate());
  }

  /** Throws when it is another program's or of a newer version. */
  #refuseForeign(): void {
    const [id, version] = [this.#number("application_id"), this.#number("user_version")];
    const [tables] = this.#db.prepare("SELECT count(*) AS n FROM sqlite_schema").all();
    if (id !== APPLICATION_ID && (id !== 0 || Number(tables!["n"]) > 0)) {
      throw this.#error(
        "it belongs to another program; move it away, or choose another directory with --state-dir",
      );
    }
    this.#refuseNewer(version);
  }

  #refuseNewer(version = this.#number("user_version")): void {
    if (version > this.migrations.length) {
      throw this.#error(
        `a newer version of toolcall wrote it (its schema is ${version}, the newest known here ` +
          `${this.migrations.length}); use that version, or choose another directory with --state-dir`,
      );
    }
  }

  #migrate(): void {
    for (const statement of this.migrations.slice(this.#number("user_version")).flat()) {
      this.#do(statement);
    }
    this.#do(`PRAGMA application_id = ${APPLICATION_ID}`);
    this.#do(`PRAGMA user_version = ${this.migrations.length}`);
  }

  /** Unlike `exec`, a statement's errors carry SQLite's code. */
  #do(statement: string): void {
    this.#db.prepare(statement).run();
  }

  /** The log is a property of the file. SQLite does not wait for others when it is switched on. */
  #enterWriteAheadLog(): void {
    for (const end = Date.now() + BUSY_MS;; pause()) {
      try {
        this.#do("PRAGMA journal_mode = WAL");
        return;
      } catch (error) {
        if (!isBusy(error) || Date.now() > end) throw error;
      }
    }
  }

  #number(pragma: string): number {
    return Number(Object.values(this.#db.prepare(`PRAGMA ${pragma}`).get()!)[0]);
  }

  #try<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      const reason = storeFaultReason(error);
      if (reason === undefined) throw error;
      throw this.#error(reason);
    }
  }

  #error(why: string): CallError {
    return new CallError("unavailable", `Cannot use the store ${quote(this.path, 4096)}: ${why}`);
  }
}

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
}
