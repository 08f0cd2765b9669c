/** Result codes of SQLite that this store tells apart (sqlite.org/rescode.html). */
export const sqliteCodes = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  uniqueViolated: 2067,
} as const

/** The extended result code of an error that SQLite raised, else undefined. */
export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined
  return typeof error.errcode === 'number' ? error.errcode : undefined
}

/** Whether another process held the file; the low byte of a code is its primary one (`SQLITE_BUSY_SNAPSHOT` is busy). */
export function isBusy(error: unknown): boolean {
  const primary = (sqliteCode(error) ?? 0) & 0xff
  return primary === sqliteCodes.busy || primary === sqliteCodes.locked
}

/** What keeps a file from being written that may be over later, for callers; by primary codes. */
const outages: ReadonlyMap<number, string> = new Map([
  [sqliteCodes.full, 'the disk of the store is full; try again when there is room'],
  [sqliteCodes.ioError, 'the disk of the store does not work; try again later'],
  [sqliteCodes.readOnly, 'the store cannot be written; try again later'],
])

/** Of an error that says so; undefined for all others. */
export const outageOf = (error: unknown): string | undefined => outages.get((sqliteCode(error) ?? 0) & 0xff)

/** Whether the file is not what SQLite writes. */
export const isCorrupt = (error: unknown): boolean => ((sqliteCode(error) ?? 0) & 0xff) === sqliteCodes.corrupt
