import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import { Database } from "./database.ts";
import { SettingStore } from "./setting_store.ts";
import { TaskStore } from "./task_store.ts";
import { ValueStore } from "./value_store.ts";

/** The state that outlives calls, opened for one session. */
export class State {
  /** The SQLite file. */
  readonly database: Database;
  /** The values of tools. */
  readonly values: ValueStore;
  /** The settings. */
  readonly settings: SettingStore;
  /** The background tasks. */
  readonly tasks: TaskStore;

  /**
   * Opens or creates the store and `directory`, or uses `database`, which is its open file. Throws
   * `unavailable` with file and remedy.
   */
  constructor(readonly directory: string, readonly session: string, database?: Database) {
    const tasks = `${directory}/tasks`;
    refuseOthers(directory, directory);
    try {
      Deno.mkdirSync(tasks, { recursive: true, mode: 0o700 });
    } catch (error) {
      throw new CallError(
        "unavailable",
        `Cannot create the state directory ${quote(directory, 4096)}: ${
          (error as Error).message
        }; ` +
          "choose another with --state-dir=DIR",
      );
    }
    for (const path of [directory, tasks, `${directory}/state.db`]) refuseOthers(path, directory);
    this.database = database ?? new Database(`${directory}/state.db`);
    this.values = new ValueStore(this.database);
    this.settings = new SettingStore(this.values, { directory, session });
    this.tasks = new TaskStore(this.database, tasks, session);
  }

  /** Closes the store. */
  close(): void {
    this.database.close();
  }
}

/**
 * Refuses what another user could have put there or could change: who writes the state
 * decides where keys go and what is killed. Throws `unavailable`.
 */
function refuseOthers(path: string, directory: string): void {
  const info = lstat(path);
  if (info === undefined || Deno.build.os === "windows") return;
  // The directory itself may be a symlink.
  const { uid, mode } = info.isSymlink && path === directory ? Deno.statSync(path) : info;
  const why = info.isSymlink && path !== directory
    ? "it is a symbolic link"
    : uid !== Deno.uid()
    ? "it belongs to another user"
    : ((mode ?? 0) & 0o022) !== 0
    ? "other users can write to it; run chmod go-w on it"
    : undefined;
  if (why === undefined) return;
  const advice = "or choose another directory with --state-dir=DIR";
  throw new CallError(
    "unavailable",
    `Cannot keep state in ${quote(path, 4096)}: ${why}; ${advice}`,
  );
}

function lstat(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.lstatSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw new CallError(
      "unavailable",
      `Cannot look at ${quote(path, 4096)}: ${(error as Error).message}`,
    );
  }
}
