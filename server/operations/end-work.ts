import type { OperationError } from '../../domain/ports/procedures.ts'
import type { Store, Stored, Transaction } from '../../domain/ports/store.ts'
import type { Log } from '../log.ts'
import { changeRecord } from './area-records.ts'
import { ended } from './record.ts'
import type { DeclaredProcedure, WorkQueue } from './work-queue.ts'
import { factsOf, works, type Work } from './work.ts'

/** The row of work that ends with errors, and its procedure. */
export interface FailedWork {
  readonly queue: WorkQueue
  readonly declared: DeclaredProcedure
  readonly work: Stored<Work>
  readonly now: number
  readonly errors: readonly [OperationError, ...OperationError[]]
}

/** Ends work with ERROR in the transaction of the caller, together with the procedure's change of the resource. */
export async function failWork(tx: Transaction, failing: FailedWork): Promise<void> {
  const { declared, errors, work } = failing
  await declared.procedure.failed?.(tx, factsOf(work.value), errors)
  await endWork(tx, failing)
}

/** Ends work, with ERROR if there are errors, otherwise with DONE. */
export async function endWork(
  tx: Transaction,
  {
    queue,
    declared: { records },
    work,
    now,
    errors,
  }: Omit<FailedWork, 'errors'> & { readonly errors?: FailedWork['errors'] },
): Promise<void> {
  const { id, value, version } = work
  if (value.has_operation) await changeRecord(tx, records, id, record => ended(records.area, record, now, errors))
  await tx.delete(works, id, version)
  queue.endedBy(tx, id)
}

/**
 * Ends work with ERROR in a transaction of its own, which begins with `lock`; `lock` returns undefined if the work has
 * ended. If the procedure's `failed` throws, the work ends without `failed`, so that the work does not stay forever.
 */
export async function failAlone(
  store: Store,
  log: Log,
  failing: Omit<FailedWork, 'work'>,
  lock: (tx: Transaction) => Promise<Stored<Work> | undefined>,
): Promise<void> {
  let isHookFailing = false
  const attempt = async (
    tx: Transaction,
    end: (tx: Transaction, failing: FailedWork) => Promise<void>,
  ): Promise<void> => {
    isHookFailing = false
    const work = await lock(tx)
    if (work === undefined) return
    isHookFailing = true
    await end(tx, { ...failing, work })
    isHookFailing = false
  }
  try {
    await store.tx(tx => attempt(tx, failWork))
  } catch (error) {
    if (!isHookFailing) throw error
    const { kind } = failing.declared.procedure
    log.error({ err: error, kind }, 'the end of failed work could not be told to its procedure')
    await store.tx(tx => attempt(tx, endWork))
  }
}
