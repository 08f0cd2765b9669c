import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Transaction } from '../../ports/store.ts'
import type { Turn } from '../../ports/workers.ts'
import { logSinkCollection, type StoredLogSink } from '../sinks/log-sinks-store.ts'
import { exportsOf, sinkExportCollection, type SinkBatch, type SinkExport } from '../sinks/sink-exports-store.ts'
import { sinkState } from '../sinks/sink-state.ts'
import type { DestinationFailed } from './destination-failed.ts'

/** The time for which a destination fails before its sink is in ERROR, in milliseconds (observability.md 2). */
const errorMs = 600_000

/** The longest time between two attempts, in milliseconds. */
const longestDelayMs = 60_000

/** The largest number of characters of an error. */
const maxError = 512

/**
 * Changes an export in a transaction, and then the state of its sink. Does nothing if the sink is gone, or if `change`
 * returns undefined. The sink is locked first, as in its calls.
 */
async function changeExport(
  turn: Turn,
  { id, sink_id }: Pick<SinkExport, 'id' | 'sink_id'>,
  nowMs: number,
  change: (row: SinkExport, sink: StoredLogSink) => SinkExport | undefined,
): Promise<void> {
  await turn.tx(async tx => {
    const sink = await tx.lock(logSinkCollection, sink_id)
    const stored = await tx.lock(sinkExportCollection, id)
    const next = sink && stored && change(stored.value, sink.value)
    if (!sink || !stored || !next) return
    await tx.update(sinkExportCollection, id, next, stored.version)
    await settleState(tx, sink, nowMs)
  })
}

async function settleState(
  tx: Transaction,
  { id, value, version }: { readonly id: string; readonly value: StoredLogSink; readonly version: number },
  nowMs: number,
): Promise<void> {
  const state = sinkState(value, await exportsOf(tx, id))
  if (state === value.state) return
  await tx.update(logSinkCollection, id, { ...value, state, update_time: formatMillis(nowMs) }, version)
}

/** The outcome of a look at an export that nothing has changed since. */
export interface Look {
  readonly position: number
  /** The batch to write; absent if more entries are collected. */
  readonly batch?: SinkBatch
  /** When the oldest entry that is to be exported came in; absent without such entries. */
  readonly oldestTime?: string
}

/** Returns an export whose entries were read after failed attempts. */
function withoutFailures({ failing_since: _since, ...row }: SinkExport): SinkExport {
  return { ...row, attempts: 0, is_in_error: false, last_error: '' }
}

/** Stores the outcome of a look, unless the export has gone on meanwhile. */
export const storeLook = (turn: Turn, read: SinkExport, nowMs: number, look: Look): Promise<void> =>
  changeExport(turn, read, nowMs, row => {
    if (row.position !== read.position || row.batch) return undefined
    const { oldest_time: _before, ...rest } = row.attempts > 0 ? withoutFailures(row) : row
    const { batch, oldestTime, position } = look
    return { ...rest, position, ...(batch && { batch }), ...(oldestTime !== undefined && { oldest_time: oldestTime }) }
  })

/** The entries of a batch that has left. */
export interface LeftEntries {
  readonly entries: number
  /** The number of these entries that the destination has taken notice of, but will never accept. */
  readonly rejected: number
}

/** Stores that a batch has left. An update of the sink may have given the batch up meanwhile. */
export const storeSuccess = (
  turn: Turn,
  read: SinkExport,
  batch: SinkBatch,
  nowMs: number,
  { entries, rejected }: LeftEntries,
): Promise<void> =>
  changeExport(turn, read, nowMs, row => {
    if (row.batch ? !isSame(row.batch, batch) : row.position !== read.position) return undefined
    const { batch: _batch, failing_since: _since, oldest_time: _oldest, ...rest } = row
    return {
      ...rest,
      position: batch.position,
      next_time: formatMillis(nowMs),
      attempts: 0,
      is_in_error: false,
      last_error: rejected === 0 ? '' : `the receiver rejected ${rejected} of ${entries} entries`,
      ...(entries > rejected && { last_export_time: formatMillis(nowMs) }),
      exported_entries: row.exported_entries + entries - rejected,
    }
  })

/** Stores that the destination has not taken a batch. */
export const storeFailure = (
  turn: Turn,
  read: SinkExport,
  batch: SinkBatch,
  nowMs: number,
  { isAbsent, message }: DestinationFailed,
): Promise<void> =>
  changeExport(turn, read, nowMs, (row, { enabled }) => {
    if (!isSame(row.batch, batch) || !enabled) return undefined
    return afterFailure(row, nowMs, message, isAbsent)
  })

/** Stores that the entries after the position of an export cannot be read with the rules of its sink. */
export const storeUnread = (turn: Turn, read: SinkExport, nowMs: number, message: string): Promise<void> =>
  changeExport(turn, read, nowMs, row =>
    row.position !== read.position || row.batch ? undefined : afterFailure(row, nowMs, message),
  )

function afterFailure(row: SinkExport, nowMs: number, message: string, isAbsent = false): SinkExport {
  const failing_since = row.failing_since ?? formatMillis(nowMs)
  const delayMs = Math.min(longestDelayMs, 1000 * 2 ** Math.min(row.attempts, 16))
  return {
    ...row,
    failing_since,
    attempts: row.attempts + 1,
    next_time: formatMillis(nowMs + delayMs),
    last_error: message.slice(0, maxError),
    is_in_error: isAbsent || nowMs - Date.parse(failing_since) >= errorMs,
  }
}

const isSame = (one: SinkBatch | undefined, other: SinkBatch): boolean =>
  one?.first === other.first && one.last === other.last && one.position === other.position
