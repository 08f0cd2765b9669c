import type { Reader, Stored, Transaction } from '../../domain/ports/store.ts'
import type { Filter } from '../../runtime/filter/types.ts'
import { formatMillis } from '../../runtime/timestamps.ts'
import { changeRecord } from './area-records.ts'
import { and, compare, firstRows, isOneOf } from '../store/row-filters.ts'
import { running } from './record.ts'
import type { WorkQueue } from './work-queue.ts'
import { workFields, works, type Work } from './work.ts'

const { id, kind, lane, runAfter } = workFields

/** The limits of a claim. */
export interface ClaimLimits {
  readonly kinds: readonly string[]
  /** The maximal number of pieces of work. */
  readonly count: number
  /** The last lane of the last claim; this claim begins with the lane after it. */
  readonly after: string
  /** Returns the number of further pieces of work that may be claimed of a lane. */
  readonly room: (lane: string) => number
  /** The work that must not be claimed, keyed by id, because its former run in this process has not ended yet. */
  readonly except: ReadonlyMap<string, unknown>
}

/**
 * Returns at most `count` pieces of due work, lane by lane: each lane has its first turn before any lane has its second
 * turn, whatever their lengths. The oldest work of a lane comes first.
 */
export async function dueWork(reader: Reader, wanted: ClaimLimits): Promise<readonly Stored<Work>[]> {
  const lanes: string[] = []
  for await (const name of dueLanes(reader, wanted)) {
    if (wanted.room(name) > 0) lanes.push(name)
    if (lanes.length === wanted.count) break
  }
  if (lanes.length === 0) return []
  const share = Math.ceil(wanted.count / lanes.length)
  const queues = await Promise.all(lanes.map(name => dueIn(reader, name, wanted, share)))
  const rounds = Array.from({ length: share }, (_, round) => queues.flatMap(queue => queue.slice(round, round + 1)))
  return rounds.flat().slice(0, wanted.count)
}

/** Iterates once over the lanes with due work, from the lane after `after` round to it. */
async function* dueLanes(reader: Reader, wanted: ClaimLimits): AsyncGenerator<string, void, undefined> {
  for (const { from, isLast } of [
    { from: wanted.after, isLast: () => false },
    { from: '', isLast: (name: string) => name > wanted.after },
  ]) {
    let last = from
    for (;;) {
      const name = await firstLane(reader, and(compare(lane, '>', last), isOneOf(kind, wanted.kinds)))
      if (name === undefined || isLast(name)) break
      yield name
      last = name
    }
  }
}

async function firstLane(reader: Reader, filter: Filter): Promise<string | undefined> {
  const { items } = await reader.page(works, firstRows(1, filter, lane, runAfter, id), { state: 'QUEUED' })
  return items[0]?.value.lane
}

async function dueIn(
  reader: Reader,
  name: string,
  wanted: ClaimLimits,
  share: number,
): Promise<readonly Stored<Work>[]> {
  const count = Math.min(share, wanted.room(name))
  const query = firstRows(Math.max(1, count + wanted.except.size), isOneOf(kind, wanted.kinds), runAfter, id)
  const { items } = await reader.page(works, query, { state: 'QUEUED', lane: name })
  return items.filter(work => !wanted.except.has(work.id)).slice(0, count)
}

/**
 * Claims each piece of work by one conditional UPDATE, so that work that another process has already claimed is
 * skipped. Returns the claimed work, whose operations become RUNNING.
 */
export async function claimWork(
  tx: Transaction,
  queue: WorkQueue,
  due: readonly Stored<Work>[],
  lease: { readonly lease_owner: string; readonly lease_until: string; readonly now: number },
): Promise<readonly Work[]> {
  const { now, ...held } = lease
  const claimed: Work[] = []
  // All processes lock rows in one order; otherwise two processes on one store could deadlock.
  for (const { id, value, version } of due.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const work: Work = { ...value, ...held, state: 'LEASED', fence: value.fence + 1 }
    if ((await tx.tryUpdate(works, id, work, version)) === undefined) continue
    const records = queue.find(value.kind)?.records
    if (records && value.has_operation) {
      await changeRecord(tx, records, id, record => running(records.area, record, now))
    }
    claimed.push(work)
  }
  return claimed
}

/** Returns the row of work without a lease, which is due after `afterMs` milliseconds. */
export function queued(work: Work, now: number, afterMs: number, changes: Partial<Work> = {}): Work {
  const { lease_until: _, ...rest } = work
  return {
    ...rest,
    state: afterMs > 0 ? 'WAITING' : 'QUEUED',
    lease_owner: '',
    queue_time: formatMillis(now),
    run_after: formatMillis(now + afterMs),
    ...changes,
  }
}
