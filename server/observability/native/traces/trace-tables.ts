/**
 * The tables of the index of the traces of a workspace. `traces` has a number for each trace, the start of its earliest
 * span in microseconds since 1970, the first and the last UTC day of a span, and the service and the start of its root
 * span; numbers are never used again. `about` has the retention.
 */
export const traceSchema = `
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE traces (
  number INTEGER PRIMARY KEY AUTOINCREMENT, trace BLOB NOT NULL UNIQUE, start INTEGER NOT NULL,
  first INTEGER NOT NULL, last INTEGER NOT NULL, service TEXT, root INTEGER
);
CREATE INDEX traces_by_start ON traces (start, number)`

/**
 * The tables of the spans that start on one UTC day. Spans have the number of their trace in the index, their start in
 * microseconds since 1970, and the members that `spanText` writes; `resources` has what `resourceText` writes. Both texts
 * have checksums before them.
 */
export const spanSchema = `
CREATE TABLE resources (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE spans (
  trace INTEGER NOT NULL, span BLOB NOT NULL, start INTEGER NOT NULL, resource INTEGER NOT NULL,
  error INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (trace, span)
) WITHOUT ROWID`

/** Returns the bytes of an id. */
export const idBytes = (id: string): Uint8Array => Buffer.from(id, 'hex')

/** Returns the id of some bytes in lower-case hexadecimal digits. */
export const idOfBytes = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
