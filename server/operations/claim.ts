import type { Reader, Stored, Transaction } from '../../domain/ports/store.ts'
import type { Filter } from '../../runtime/filter/types.ts'
import { formatMillis } from '../../runtime/timestamps.ts'
import { changeRecord } from './area-records.ts'
import { and, compare, firstRows, isOneOf } from '../store/row-filters.ts'
import { running } from './record.ts'
import type { WorkQueue } from './work-queue.ts'
import { workFields, works, type Work } from './work.ts'

const { id, kind, lane, runAfter } = workFields

/** What may be claimed now. */
export interface Wanted {
  readonly kinds: readonly string[]
  /** How many pieces of work at most. */
  readonly count: number
  /** The lane that had its turn last. */
  readonly after: string
  /** How many more of a lane may be claimed. */
  readonly room: (lane: string) => number
  /** Work that is not to be claimed: its former run in this process has not ended yet. */
  readonly except: ReadonlyMap<string, unknown>
}

/**
 * Work that is due, lane by lane: each lane has its turn before one of them has its second, whatever their lengths.
 * Within a lane the oldest comes first.
 */
export async function dueWork(reader: Reader, wanted: Wanted): Promise<readonly Stored<Work>[]> {
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

/** The lanes with work that is due, once each, from the one behind `after` round to it. */
async function* dueLanes(reader: Reader, wanted: Wanted): AsyncGenerator<string, void, undefined> {
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

async function dueIn(reader: Reader, name: string, wanted: Wanted, share: number): Promise<readonly Stored<Work>[]> {
  const count = Math.min(share, wanted.room(name))
  const query = firstRows(Math.max(1, count + wanted.except.size), isOneOf(kind, wanted.kinds), runAfter, id)
  const { items } = await reader.page(works, query, { state: 'QUEUED', lane: name })
  return items.filter(work => !wanted.except.has(work.id)).slice(0, count)
}

/**
 * Claims work with one conditional UPDATE each: what another process has claimed meanwhile is left to it. Operations
 * that are claimed are RUNNING.
 */
export async function claimWork(
  tx: Transaction,
  queue: WorkQueue,
  due: readonly Stored<Work>[],
  lease: { readonly lease_owner: string; readonly lease_until: string; readonly now: number },
): Promise<readonly Work[]> {
  const { now, ...held } = lease
  const claimed: Work[] = []
  // In one order everywhere, or two processes on one store would wait for each other's rows.
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

/** A row whose next run may begin after so long; at once it is due. */
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
