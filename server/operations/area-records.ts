import type { OperationError } from '../../domain/ports/procedures.ts'
import type { Collection, Transaction } from '../../domain/ports/store.ts'
import { commonReasons, type ApiError, type ErrorDomain } from '../../runtime/errors.ts'
import type { ListFields } from '../../runtime/filter/types.ts'
import type { OperationRecord } from './record.ts'

/** What the server knows of the operation records of one area. */
export interface AreaRecords {
  /** The area in lower case, which prefixes table and enums: `taxonomy`. */
  readonly area: string
  /** The number at which the area's error codes start. */
  readonly base: number
  readonly collection: Collection<OperationRecord>
}

/** The operations of an area as a collection: `<area>_operations`. */
export function operationsCollection<Record>(area: string, list: ListFields): Collection<Record> {
  const columns = { status: 'ENUM', insert_time: 'TIMESTAMP', end_time: 'TIMESTAMP' } as const
  // What has not ended is looked for among all that has.
  const indexes = [['status', 'insert_time']] as const
  const made: Collection<OperationRecord> = { name: `${area}_operations`, id: 'id', list, columns, indexes }
  // The records of every area have the members of `OperationRecord`.
  return made as Collection<never> as Collection<Record>
}

export function areaRecords({ name, base = 0 }: ErrorDomain, list: ListFields): AreaRecords {
  return { area: name, base, collection: operationsCollection(name, list) }
}

/** Changes a record in the caller's transaction; one that is gone stays gone. */
export async function changeRecord(
  tx: Transaction,
  { collection }: AreaRecords,
  id: string,
  change: (record: OperationRecord) => OperationRecord,
): Promise<void> {
  const stored = await tx.lock(collection, id)
  if (stored === undefined) return
  const next = change(stored.value)
  if (next !== stored.value) await tx.update(collection, id, next, stored.version)
}

/** An error of the common block as it stands in operations: with the number of the area (conventions §7). */
export function commonError(
  { base }: AreaRecords,
  { code, reason }: { readonly code: number; readonly reason: string },
  description: string,
): OperationError {
  return { code: base + code, reason, description }
}

/** What an operation says of a defect: nothing but where to look in the log. */
export const internalError = (records: AreaRecords, workId: string): OperationError =>
  commonError(records, commonReasons.INTERNAL, `internal error; it is recorded under operation ${workId}`)

/** An error that was thrown, as operations carry it. */
export function thrownError(records: AreaRecords, { code = 0, reason, message, domain }: ApiError): OperationError {
  const base = code >= 1000 ? 0 : (domain?.base ?? records.base)
  return { code: base + code, reason, description: message }
}
