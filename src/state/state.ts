import { CallError } from "../call_error.ts";
import { quote } from "../quote.ts";
import { Database } from "./database.ts";
import { KeptSettings } from "./settings.ts";
import { Tasks } from "./tasks.ts";
import { Values } from "./values.ts";

/** What outlives a call, opened for one session. */
export class State {
  /** The SQLite file. */
  readonly database: Database;
  /** What tools keep. */
  readonly values: Values;
  /** The settings. */
  readonly settings: KeptSettings;
  /** The background tasks. */
  readonly tasks: Tasks;

  /**
   * Opens the store in `folder`, and makes both where they are not there. Throws
   * `unavailable`, which names the file and says what to do.
   */
  constructor(readonly folder: string, readonly session: string) {
    const tasks = `${folder}/tasks`;
    try {
      Deno.mkdirSync(tasks, { recursive: true, mode: 0o700 });
    } catch (error) {
      throw new CallError(
        "unavailable",
        `Cannot make the state folder ${quote(folder, 4096)}: ${(error as Error).message}; ` +
          "name another with --state-dir=DIR",
      );
    }
    this.database = new Database(`${folder}/state.db`);
    this.values = new Values(this.database);
    this.settings = new KeptSettings(this.values, { folder, session });
    this.tasks = new Tasks(this.database, tasks);
  }

  /** Closes the store. */
  close(): void {
    this.database.close();
  }
}
