import type { LogSeverity } from '../../../output/observability/types.ts'
import type { ListQuery } from '../../../runtime/pagination.ts'
import { formatMillis, storedTimestamp } from '../../../runtime/timestamps.ts'
import type { Reader, Stored, StoredPage } from '../../ports/store.ts'
import { nextTurn } from '../../resources/next-turn.ts'
import { activityCollection, type StoredActivity } from '../activities/activities-store.ts'
import { chainOrder, rowsInOrder } from '../activities/rows-in-order.ts'
import { nanosecondsOfTime } from '../logql/nano-time.ts'
import {
  chosenLines,
  type LabelledEntry,
  type LinesPage,
  type LinesRead,
  type SinkSourceReader,
} from '../sinks/sink-lines.ts'
import type { SinkParts } from './sink-parts.ts'

/** The number of activities that one statement reads. */
const pageSize = 100

/** The number of activities that one read looks at. */
const mostPerRead = 500

const severities: Readonly<Record<string, LogSeverity>> = {
  SUCCEEDED: 'OBSERVABILITY_LOG_SEVERITY_INFO',
  DENIED: 'OBSERVABILITY_LOG_SEVERITY_WARN',
  FAILED: 'OBSERVABILITY_LOG_SEVERITY_ERROR',
}

/** The parts that read activities. */
export interface ActivityParts extends Pick<SinkParts, 'sinkLogs' | 'store'> {
  readonly signal: AbortSignal
}

/**
 * Returns the activities of a workspace as entries for sinks. The number of an activity is its sequence in the chain of
 * the organisation, which the sequencer gives in the order of commits.
 */
export const activityLines = (parts: ActivityParts, workspace: string): SinkSourceReader => ({
  last: () => lastActivity(parts.store, workspace),
  async numberBefore(since) {
    const key = [storedTimestamp(formatMillis(since)) ?? '', '']
    const { items } = await parts.store.page(activityCollection, rowsInOrder(pageSize, timeOrder, key), {
      scope_id: workspace,
    })
    // Calls at nearly the same time may get their sequences in another order than their times.
    if (items.length > 0) return Math.min(...items.map(({ value }) => value.sequence)) - 1
    return lastActivity(parts.store, workspace)
  },
  read: read => readActivities(parts, workspace, read),
})

/** The order of the times of activities. */
const timeOrder = [
  ['time', 'TIMESTAMP'],
  ['id', 'STRING'],
] as const

/** The query of the latest activity of a chain. */
const ascending = rowsInOrder(1, chainOrder)
const latest: ListQuery = { ...ascending, order: ascending.order.map(each => ({ ...each, descending: true })) }

/** Returns the sequence of the latest activity of a workspace; 0 without activities. */
async function lastActivity(store: Reader, workspace: string): Promise<number> {
  const { items } = await store.page(activityCollection, latest, { scope_id: workspace })
  return items[0]?.value.sequence ?? 0
}

/** Iterates over the activities of a workspace with greater numbers than `after`, in the order of the numbers. */
async function* activitiesAfter(
  store: Reader,
  workspace: string,
  after: number,
): AsyncGenerator<Stored<StoredActivity>, void, undefined> {
  // The ids of activities follow the empty text, so the first row has the sequence after `after`.
  let key: ListQuery['after'] = [after + 1, '']
  do {
    const query = rowsInOrder(pageSize, chainOrder, key)
    const page: StoredPage<StoredActivity> = await store.page(activityCollection, query, { scope_id: workspace })
    yield* page.items
    key = page.next
    await nextTurn()
  } while (key !== undefined)
}

async function readActivities(
  { signal, sinkLogs, store }: ActivityParts,
  workspace: string,
  read: LinesRead,
): Promise<LinesPage> {
  const { after, last, rules } = read
  const entries: LabelledEntry[] = []
  let boundary = last
  for await (const activity of activitiesAfter(store, workspace, after)) {
    if (activity.value.sequence > last) break
    if (entries.length === mostPerRead) {
      boundary = entries.at(-1)?.entry.number ?? after
      break
    }
    entries.push(activityEntry(activity))
  }
  const given = { entries, boundary }
  // A pattern of a rule may take long for a single entry.
  const isFree = rules.filter === '' && rules.exclusions.length === 0
  return isFree || entries.length === 0 ? chosenLines(given, read) : sinkLogs.chosen(workspace, given, read, signal)
}

/** Returns the labels and the entry of an activity (observability.md 1, LogSink). */
function activityEntry({ text, value }: Stored<StoredActivity>): LabelledEntry {
  const { area, sequence: number, time, trace_id } = value
  const outcome = value.outcome.replace('OBSERVABILITY_ACTIVITY_OUTCOME_', '')
  const category = value.category.replace('OBSERVABILITY_ACTIVITY_CATEGORY_', '')
  return {
    labels: { source: 'activities', area, category, outcome },
    entry: {
      time: nanosecondsOfTime(time),
      number,
      line: text.text,
      metadata: {},
      severity: severities[outcome] ?? 'OBSERVABILITY_LOG_SEVERITY_UNSPECIFIED',
      traceId: trace_id,
      spanId: '',
      ingestTime: Date.parse(time),
    },
  }
}
