import { describe, expect, it } from 'vitest'
import type { Collection } from '../../../../domain/ports/store.ts'
import type { Filter, FilterField } from '../../../../runtime/filter/types.ts'
import { areas } from '../../../../server/areas.ts'
import { outbox } from '../../../../domain/resources/activity-outbox.ts'
import { activityTime } from '../../../../server/audit/outbox.ts'
import { compareTime } from '../../../../server/store/row-filters.ts'
import { expireTime, rememberedKeys } from '../../../../server/operations/idempotency.ts'
import { endedBefore, insertTime, oldestRows } from '../../../../server/operations/sweep.ts'
import { selectPage } from '../../../../server/store/select.ts'
import { explain } from './explain.ts'

const now = Date.parse('2026-03-01T12:00:00Z')

const swept: readonly (readonly [string, Collection<never>, FilterField, Filter])[] = [
  [rememberedKeys.name, rememberedKeys, expireTime, compareTime(expireTime, '<', now)],
  [outbox.name, outbox, activityTime, compareTime(activityTime, '<', now)],
  ...areas.map(({ operations }) => [operations.name, operations, insertTime, endedBefore(now)] as const),
]

describe('expired rows', () => {
  it.each(swept)('of %s are found by an index, and are not sorted', async (_name, collection, field, filter) => {
    const query = oldestRows(collection, field, filter)
    const plans = await explain(collection, layout =>
      selectPage(layout, { query, where: {}, derived: undefined, members: [] }),
    )
    const steps = plans.flat().map(({ detail }) => detail)
    expect(steps).toContainEqual(
      expect.stringMatching(/^SEARCH \S+ USING INDEX \S+ \((?:expire_time|time|insert_time)[<>]/),
    )
    expect(steps.join('; ')).not.toContain('TEMP B-TREE FOR ORDER BY')
  })
})
