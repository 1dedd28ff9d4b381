/**
 * The migrations from an empty file to the newest schema, in order. `PRAGMA user_version` is the
 * number of applied ones. A released migration never changes.
 */
export const migrations: readonly (readonly string[])[] = [[
  `CREATE TABLE value (
     space TEXT NOT NULL,
     session TEXT NOT NULL,
     key TEXT NOT NULL,
     value TEXT NOT NULL,
     expires INTEGER,
     PRIMARY KEY (space, session, key)
   ) STRICT`,
  "CREATE INDEX value_expires ON value (expires) WHERE expires IS NOT NULL",
  `CREATE TABLE task (
     id TEXT PRIMARY KEY,
     tool TEXT NOT NULL,
     title TEXT NOT NULL,
     session TEXT NOT NULL,
     folder TEXT NOT NULL,
     pid INTEGER NOT NULL,
     born TEXT NOT NULL,
     status TEXT NOT NULL,
     started INTEGER NOT NULL,
     ended INTEGER,
     text TEXT
   ) STRICT`,
  "CREATE INDEX task_ended ON task (ended)",
], [
  `CREATE TABLE begun_call (
     tool TEXT NOT NULL,
     began INTEGER NOT NULL,
     expires INTEGER NOT NULL
   ) STRICT`,
  "CREATE INDEX begun_call_began ON begun_call (tool, began)",
  "CREATE INDEX begun_call_expires ON begun_call (expires)",
]];
