import { checkFilter } from '../../../../runtime/filter/check.ts'
import type { ListFields } from '../../../../runtime/filter/types.ts'
import { checkOrder } from '../../../../runtime/ordering.ts'
import type { ListQuery } from '../../../../runtime/pagination.ts'
import type { Collection } from '../../../ports/store.ts'
import type { Machine } from './machine.ts'

const list: ListFields = {
  fields: [
    { name: 'lapse.at_ms', type: 'INTEGER', operators: ['<='], sortable: true },
    { name: 'serial.first_ms', type: 'INTEGER', operators: ['<='], sortable: true },
  ],
  defaultOrder: 'lapse.at_ms asc',
  key: 'id',
}

/** The simulated machines of all workspaces. They are rows of the store, so they survive the process. */
export const machines: Collection<Machine> = {
  name: 'compute_simulated_machines',
  id: 'id',
  list,
  indexes: [['serial.first_ms']],
}

/** Returns the query for the machines that went off by themselves before or at `now`, the earliest first. */
export const lapsedAt = (now: number): ListQuery => until('lapse.at_ms', now)

/** Returns the query for the machines with serial lines of `now` or earlier, the earliest first. */
export const writtenAt = (now: number): ListQuery => until('serial.first_ms', now)

const until = (field: 'lapse.at_ms' | 'serial.first_ms', now: number): ListQuery => ({
  size: 100,
  filter: checkFilter(`${field} <= ${now}`, list),
  order: checkOrder(field, list),
  after: undefined,
  now,
})
