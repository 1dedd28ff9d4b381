/**
 * The runtime keeps compiled modules in SQLite databases, and writes what is new to their
 * write-ahead logs. Each start of the program reads these logs whole, because no process of the
 * runtime empties them: it ends without closing the databases.
 *
 * @see https://sqlite.org/wal.html, section 4.1
 */
import { DatabaseSync } from "node:sqlite";

/** Moves the logs of the runtime's databases in `directory` into the databases. Never throws. */
export function checkpointCodeCache(directory: string): void {
  try {
    for (const { name } of Deno.readDirSync(directory)) {
      if (!name.endsWith("-wal")) continue;
      const database = new DatabaseSync(`${directory}/${name.slice(0, -"-wal".length)}`);
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      database.close();
    }
  } catch { /* Another process uses a database, or the disk is full. A later start tries again. */ }
}
