/**
 * The tables of the file of a day of logs. A row of `blocks` tells which entries a block has, and `contents` has their
 * bytes. A block that one commit has written is a part; later the entries of parts move into blocks with a filter in
 * `filters`. A damaged part stays as a block without a filter. Times are nanoseconds since 1970, ingest times
 * milliseconds. `streams` has the sums of the entries of each stream, and bounds of their times.
 */
export const logDaySchema = `
CREATE TABLE blocks (
  id INTEGER PRIMARY KEY, is_part INTEGER NOT NULL, first_number INTEGER NOT NULL, last_number INTEGER NOT NULL,
  first INTEGER NOT NULL, last INTEGER NOT NULL, first_ingest REAL NOT NULL, last_ingest REAL NOT NULL,
  entries INTEGER NOT NULL, bytes INTEGER NOT NULL, runs BLOB NOT NULL
);
CREATE TABLE contents (id INTEGER PRIMARY KEY, entries BLOB NOT NULL, details BLOB NOT NULL);
CREATE TABLE filters (id INTEGER PRIMARY KEY, bits BLOB NOT NULL);
CREATE TABLE streams (
  stream INTEGER PRIMARY KEY, entries INTEGER NOT NULL, bytes INTEGER NOT NULL, first INTEGER NOT NULL,
  last INTEGER NOT NULL
)`

/**
 * The tables of the index of the logs of a workspace. `streams` has the labels as a list of names and values in JSON, by
 * names; ids are never used again. `about` has the generation of the streams, which changes when streams are deleted, the
 * retention, and the last ingest number of the deleted files.
 */
export const logIndexSchema = `
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE streams (id INTEGER PRIMARY KEY AUTOINCREMENT, labels TEXT NOT NULL)`
