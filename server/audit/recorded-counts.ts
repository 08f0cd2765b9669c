import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '../../domain/ports/store.ts'
import type { Log } from '../log.ts'
import type { OutboxAudit } from './outbox.ts'

/** The interval in milliseconds between two searches for counts that are due. */
const everyMs = 10_000

/** The time limit of the last record in milliseconds: an unreachable store must not delay the end of the server. */
const patienceMs = 2000

/**
 * Records the counts of refusals once they are due, until `end` is called, which records all counts. A count that
 * cannot be recorded is logged and lost.
 */
export function recordedCounts(
  audit: Pick<OutboxAudit, 'recordCounts'>,
  store: Pick<Store, 'tx'>,
  log: Pick<Log, 'error'>,
): { readonly end: () => Promise<void> } {
  const record = (all: boolean): Promise<void> =>
    audit.recordCounts(store, all).catch((err: unknown) => log.error({ err }, 'a count of refusals was not recorded'))
  const timer = setInterval(() => void record(false), everyMs).unref()
  return {
    async end() {
      clearInterval(timer)
      await Promise.race([record(true), sleep(patienceMs, undefined, { ref: false })])
    },
  }
}
