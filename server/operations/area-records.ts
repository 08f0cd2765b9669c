import type { OperationError } from '../../domain/ports/procedures.ts'
import type { Collection, Transaction } from '../../domain/ports/store.ts'
import { commonReasons, type ApiError, type ErrorDomain } from '../../runtime/errors.ts'
import type { ListFields } from '../../runtime/filter/types.ts'
import type { StoredOperation } from './record.ts'

/** The facts of an area's operation records. */
export interface AreaRecords {
  /** The area in lower case, the prefix of table and enums: `taxonomy`. */
  readonly area: string
  /** The number at which the area's error codes begin. */
  readonly base: number
  readonly collection: Collection<StoredOperation>
}

/** Returns the collection of an area's operations: `<area>_operations`. */
export function operationsCollection<Record>(area: string, list: ListFields): Collection<Record> {
  const columns = { status: 'ENUM', insert_time: 'TIMESTAMP', end_time: 'TIMESTAMP' } as const
  // Queries look for the few unfinished operations among all finished operations.
  const indexes = [['status', 'insert_time']] as const
  const made: Collection<StoredOperation> = { name: `${area}_operations`, id: 'id', list, columns, indexes }
  // The records of every area have the members of `OperationRecord`.
  return made as Collection<never> as Collection<Record>
}

/** Returns the facts of the operation records of an area. */
export function areaRecords({ name, base = 0 }: ErrorDomain, list: ListFields): AreaRecords {
  return { area: name, base, collection: operationsCollection(name, list) }
}

/** Changes a record in the transaction of the caller; does nothing for a deleted record. */
export async function changeRecord(
  tx: Transaction,
  { collection }: AreaRecords,
  id: string,
  change: (record: StoredOperation) => StoredOperation,
): Promise<void> {
  const stored = await tx.lock(collection, id)
  if (stored === undefined) return
  const next = change(stored.value)
  if (next !== stored.value) await tx.update(collection, id, next, stored.version)
}

/** Returns an error of the common block in the form of operations, with the number of the area (conventions §7). */
export function commonError(
  { base }: AreaRecords,
  { code, reason }: { readonly code: number; readonly reason: string },
  description: string,
): OperationError {
  return { code: base + code, reason, description }
}

/** Returns the error of a defect in an operation. Its description only refers to the log. */
export const internalError = (records: AreaRecords, workId: string): OperationError =>
  commonError(records, commonReasons.INTERNAL, `internal error; it is recorded under operation ${workId}`)

/** Returns a thrown error in the form of operations. */
export function thrownError(records: AreaRecords, { code = 0, reason, message, domain }: ApiError): OperationError {
  const base = code >= 1000 ? 0 : (domain?.base ?? records.base)
  return { code: base + code, reason, description: message }
}
