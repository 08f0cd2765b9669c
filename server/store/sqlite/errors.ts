/** The result codes of SQLite that this store distinguishes (sqlite.org/rescode.html). */
export const sqliteCodes = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  uniqueViolated: 2067,
} as const

/** Returns the extended result code of a SQLite error; undefined for other errors. */
export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined
  return typeof error.errcode === 'number' ? error.errcode : undefined
}

/**
 * Whether another process had locked the file; the low byte of a code is its primary code (`SQLITE_BUSY_SNAPSHOT` is
 * busy).
 */
export function isBusy(error: unknown): boolean {
  const primary = (sqliteCode(error) ?? 0) & 0xff
  return primary === sqliteCodes.busy || primary === sqliteCodes.locked
}

/** The obstacles of writing a file, for callers, keyed by primary codes. */
const outages: ReadonlyMap<number, string> = new Map([
  [sqliteCodes.full, 'the disk of the store is full; try again when there is room'],
  [sqliteCodes.ioError, 'the disk of the store does not work; try again later'],
  [sqliteCodes.readOnly, 'the store cannot be written; try again later'],
])

/** Returns the obstacle that an error reports, for callers; undefined for other errors. */
export const outageOf = (error: unknown): string | undefined => outages.get((sqliteCode(error) ?? 0) & 0xff)

/** Whether an error reports content that SQLite did not write. */
export const isCorrupt = (error: unknown): boolean => ((sqliteCode(error) ?? 0) & 0xff) === sqliteCodes.corrupt
