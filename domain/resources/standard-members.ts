import type { CallContext } from '../../runtime/context.ts'
import { formatMillis } from '../../runtime/timestamps.ts'
import type { Clock } from '../ports/clock.ts'
import { nextEtag } from './etag.ts'

/** The members that the platform sets in a new row. */
export interface StandardMembers {
  readonly id: string
  readonly etag: string
  readonly create_time: string
  readonly update_time: string
}

/** Returns the members that the platform sets in a row that a call creates at `now`. */
export function standardMembers({ newId }: Pick<Clock, 'newId'>, { now }: Pick<CallContext, 'now'>): StandardMembers {
  const time = formatMillis(now)
  return { id: newId(), etag: nextEtag(undefined), create_time: time, update_time: time }
}
