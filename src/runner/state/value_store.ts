import type { Json } from "../registry/services.ts";
import type { Database } from "./database.ts";

/** The owner of values. */
export interface Owner {
  /** The namespace, such as a tool. */
  space: string;
  /** The session. Empty for values that all sessions share. */
  session: string;
}

/** JSON values by owner and key. */
export class ValueStore {
  /** Stores the values in `database`. */
  constructor(readonly database: Database) {}

  /** The value, if there is one that has not expired. */
  get({ space, session }: Owner, key: string): Json | undefined {
    const [row] = this.database.rows(
      `SELECT value FROM value WHERE space = ? AND session = ? AND key = ?
         AND (expires IS NULL OR expires > ?)`,
      ...[space, session, key, Date.now()],
    );
    return row === undefined ? undefined : JSON.parse(String(row["value"]));
  }

  /** All values of an owner that have not expired. */
  all({ space, session }: Owner): Record<string, Json> {
    const rows = this.database.rows(
      `SELECT key, value FROM value WHERE space = ? AND session = ?
         AND (expires IS NULL OR expires > ?)`,
      ...[space, session, Date.now()],
    );
    return Object.fromEntries(
      rows.map(({ key, value }) => [String(key), JSON.parse(String(value))]),
    );
  }

  /** Whether the key has that value in any session of a space. */
  isAnywhere(space: string, key: string, value: Json): boolean {
    const rows = this.database.rows(
      "SELECT 1 FROM value WHERE space = ? AND key = ? AND value = ? LIMIT 1",
      ...[space, key, JSON.stringify(value)],
    );
    return rows.length > 0;
  }

  /** Stores a value, or removes it for `undefined`, in one transaction. Returns the old one. */
  set(...change: Parameters<ValueStore["put"]>): Json | undefined {
    return this.database.step(() => this.put(...change));
  }

  /**
   * Like {@link set}, within a transaction of the caller. It stays `ttlMs` milliseconds if given.
   */
  put(
    owner: Owner,
    key: string,
    { value, ttlMs }: { value: Json | undefined; ttlMs?: number | undefined },
  ): Json | undefined {
    const { space, session } = owner;
    const before = this.get(owner, key);
    this.database.run("DELETE FROM value WHERE expires <= ?", Date.now());
    if (value === undefined) {
      this.database.run(
        "DELETE FROM value WHERE space = ? AND session = ? AND key = ?",
        ...[space, session, key],
      );
    } else {
      this.database.run(
        "INSERT OR REPLACE INTO value (space, session, key, value, expires) VALUES (?, ?, ?, ?, ?)",
        ...[space, session, key, JSON.stringify(value)],
        ttlMs === undefined ? null : Date.now() + ttlMs,
      );
    }
    return before;
  }
}
