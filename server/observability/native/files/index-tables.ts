/**
 * The tables of the index of a workspace. `series` has the labels as a list of names and values in JSON, by names, and the
 * times of the first and the newest sample; ids are never used again. `about` has the generation of the series, which
 * changes when series are deleted.
 */
export const indexSchema = `
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE series (
  id INTEGER PRIMARY KEY AUTOINCREMENT, hash INTEGER NOT NULL, labels TEXT NOT NULL, first REAL NOT NULL, last REAL NOT NULL
);
CREATE INDEX series_by_hash ON series (hash);
CREATE TABLE metadata (
  name TEXT PRIMARY KEY, type TEXT NOT NULL, unit TEXT NOT NULL, description TEXT NOT NULL
) WITHOUT ROWID`
