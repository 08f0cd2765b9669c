import { DatabaseSync } from 'node:sqlite'

/** The format of the file of advisories; a file of another format is made again. */
const format = 1

/** The name of the file in the folder of data. The file is made from the records of the operator, and holds nothing else. */
export const advisoryFileName = 'registry-advisories.db'

/**
 * The tables. A source is a file of the operator, with the digest of its texts. A record may come from several sources, of which the newest counts;
 * withdrawn records are stored too, so that they count. Times are milliseconds since 1970; what an
 * advisory says and affects is JSON.
 */
const schema = `
  CREATE TABLE source (
    number INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, changed_ms REAL NOT NULL,
    digest TEXT NOT NULL
  ) STRICT;
  CREATE TABLE record (
    number INTEGER PRIMARY KEY, source INTEGER NOT NULL, id TEXT NOT NULL, modified_ms INTEGER NOT NULL,
    is_withdrawn INTEGER NOT NULL, advisory TEXT NOT NULL
  ) STRICT;
  CREATE INDEX record_id ON record (id, modified_ms);
  CREATE INDEX record_source ON record (source);
  CREATE TABLE affected (
    ecosystem TEXT NOT NULL, name TEXT NOT NULL, record INTEGER NOT NULL, place INTEGER NOT NULL, affected TEXT NOT NULL,
    PRIMARY KEY (ecosystem, name, record, place)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX affected_record ON affected (record);
  CREATE TABLE summary (
    records INTEGER NOT NULL, newest_ms INTEGER NOT NULL, ecosystems TEXT NOT NULL, content TEXT NOT NULL
  ) STRICT;
  PRAGMA user_version = ${format};
`

/** Opens a file that no other connection writes; undefined if there is none, or one of another format. */
export function openAdvisoryFile(file: string): DatabaseSync | undefined {
  let database
  try {
    database = new DatabaseSync(file, { readOnly: true })
    if (database.prepare('PRAGMA user_version').get()?.['user_version'] === format) return database
  } catch {
    // A missing or damaged file is made again.
  }
  database?.close()
  return undefined
}

/**
 * Opens a file to be written, without protection against a loss of power: it counts only after it has been renamed. An
 * empty file gets its tables.
 */
export function openWrittenFile(file: string): DatabaseSync {
  const database = new DatabaseSync(file)
  database.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -32768; PRAGMA temp_store = MEMORY')
  if (database.prepare('PRAGMA user_version').get()?.['user_version'] === 0) database.exec(schema)
  return database
}
