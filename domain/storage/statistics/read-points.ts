import type { Collection, Reader, Where } from '../../ports/store.ts'
import { checkFilter } from '../../../runtime/filter/check.ts'
import type { SortField } from '../../../runtime/filter/types.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import { nextTurn } from '../../resources/next-turn.ts'
import { pointCollection, pointFields, type StatPoint } from './points-store.ts'

/** The number of points that one statement reads. */
const pageSize = 500

const fields = new Map(pointFields.fields.map(field => [field.name, field]))

function orderBy(descending: boolean): readonly SortField[] {
  const [time, id] = [fields.get('time'), fields.get('id')]
  return time && id
    ? [
        { field: time, descending },
        { field: id, descending: false },
      ]
    : []
}

const [ascending, descending] = [orderBy(false), orderBy(true)]

/**
 * Iterates over the points from `fromMs` to `untilMs`, without the end, in the order of their times. Other work runs
 * between the pages.
 */
export async function* pointsBetween(
  reader: Reader,
  collection: Collection<StatPoint>,
  where: Where<StatPoint>,
  [fromMs, untilMs]: readonly [number, number],
): AsyncGenerator<StatPoint, void, undefined> {
  const range = `time >= "${formatMillis(fromMs)}" AND time < "${formatMillis(untilMs)}"`
  const query = { size: pageSize, filter: checkFilter(range, pointFields), order: ascending, now: untilMs }
  let after: Parameters<Reader['page']>[1]['after']
  do {
    const page = await reader.page(collection, { ...query, after }, where)
    for (const { value } of page.items) yield value
    after = page.next
    await nextTurn()
  } while (after)
}

/** Returns the last point of a statistic of a bucket before a time. */
export async function pointBefore(
  reader: Reader,
  { bucket_id, stat }: { readonly bucket_id: string; readonly stat: string },
  beforeMs: number,
): Promise<StatPoint | undefined> {
  const filter = checkFilter(`time < "${formatMillis(beforeMs)}"`, pointFields)
  const query = { size: 1, filter, order: descending, after: undefined, now: beforeMs }
  return (await reader.page(pointCollection, query, { bucket_id, stat })).items[0]?.value
}
