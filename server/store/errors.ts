import { ApiError, commonReasons } from '../../runtime/errors.ts'

/** Result codes of SQLite that this store tells apart (sqlite.org/rescode.html). */
export const sqliteCodes = {
  busy: 5,
  locked: 6,
  corrupt: 11,
  uniqueViolated: 2067,
  primaryKeyViolated: 1555,
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

/** Whether the file is not what SQLite writes. */
export const isCorrupt = (error: unknown): boolean => ((sqliteCode(error) ?? 0) & 0xff) === sqliteCodes.corrupt

/** The answer when a transaction was refused too often (conventions §16): try again in a second. */
export function storeUnavailable(): ApiError {
  return new ApiError(commonReasons.ENGINE_UNAVAILABLE, 'the store is busy; try again', {}, { retryAfterSeconds: 1 })
}
