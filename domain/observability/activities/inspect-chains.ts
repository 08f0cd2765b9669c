import type { Finding } from '../../ports/inspection.ts'
import type { Reader } from '../../ports/store.ts'
import { activityCollection, chainCollection, type ActivityChain, type StoredActivity } from './activities-store.ts'
import { hashOf } from './hash-chain.ts'
import { chainOrder, rowsInOrder } from './rows-in-order.ts'

type Findings = AsyncGenerator<Finding, void, undefined>

/** The number of activities that are read at once. */
const pageSize = 500

/** Recomputes the hash chains; yields a finding for each altered, removed, inserted or moved activity. */
export async function* inspectChains(reader: Reader): Findings {
  const known = new Set<string>()
  for await (const { value } of reader.each(chainCollection)) {
    known.add(value.id)
    yield* inspectChain(reader, value)
  }
  for (const [id, count] of await reader.tally(activityCollection, 'chain_id'))
    if (!known.has(id)) yield ofChain(id, `has ${count} activities, but the row with its ends is missing`)
}

/** The place of the next activity of a sound chain. */
interface Place {
  readonly sequence: number
  readonly previous_hash: string
}

async function* inspectChain(reader: Reader, chain: ActivityChain): Findings {
  let next: Place = { sequence: chain.first_sequence, previous_hash: chain.first_previous_hash }
  for await (const activity of activitiesOf(reader, chain.id)) {
    const message = faultOf(activity, next)
    if (message !== undefined) yield { resourceType: 'observability.activities', id: activity.id, message }
    next = { sequence: activity.sequence + 1, previous_hash: activity.hash }
  }
  const last = next.sequence - 1
  if (last < chain.sequence) yield ofChain(chain.id, `lacks the activities ${last + 1} to ${chain.sequence} at its end`)
  else if (last > chain.sequence) yield ofChain(chain.id, `ends with the activity ${chain.sequence}, but has ${last}`)
  else if (next.previous_hash !== chain.hash) yield ofChain(chain.id, 'ends with another hash than its last activity')
}

async function* activitiesOf(reader: Reader, chain: string): AsyncGenerator<StoredActivity, void, undefined> {
  let query = rowsInOrder(pageSize, chainOrder)
  for (;;) {
    const { items, next } = await reader.page(activityCollection, query, { chain_id: chain })
    for (const { value } of items) yield value
    if (next === undefined) return
    query = rowsInOrder(pageSize, chainOrder, next)
  }
}

/** Returns the contradiction between an activity and its place; undefined if there is none. */
function faultOf(activity: StoredActivity, { previous_hash, sequence }: Place): string | undefined {
  if (hashOf(activity) !== activity.hash) return 'has other content than its hash says: it was altered'
  if (activity.sequence > sequence)
    return `is activity ${activity.sequence} of its chain, but activity ${sequence} is missing before it`
  if (activity.sequence < sequence)
    return `is activity ${activity.sequence} of its chain, which begins with activity ${sequence}`
  if (activity.previous_hash !== previous_hash)
    return `does not continue the hash of activity ${sequence - 1}: that one was replaced or moved`
  return undefined
}

const ofChain = (id: string, message: string): Finding => ({
  resourceType: 'observability.activities',
  id: `chain ${id}`,
  message,
})
