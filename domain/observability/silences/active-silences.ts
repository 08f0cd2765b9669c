import type { Reader } from '../../ports/store.ts'
import { timeFilter } from '../../resources/derived-tests.ts'
import { rowsInOrder } from '../activities/rows-in-order.ts'
import { byEnd, silenceCollection, type StoredSilence } from './silences-store.ts'
import { silenceStates, stateAt } from './state-at.ts'

const batchSize = 100

/** Iterates over the PENDING and ACTIVE silences of a workspace at `now`, in milliseconds since 1970, by their ends. */
async function* openSilences(reader: Reader, workspace: string, now: number): AsyncGenerator<StoredSilence[]> {
  let after: Parameters<typeof rowsInOrder>[2]
  do {
    const query = { ...rowsInOrder(batchSize, byEnd, after), filter: timeFilter('end_time', '>', now) }
    const page = await reader.page(silenceCollection, query, { workspace_id: workspace })
    yield page.items.map(({ value }) => value)
    after = page.next
  } while (after)
}

/** Returns the number of PENDING and ACTIVE silences of a workspace at `now`, in milliseconds since 1970. */
export async function countOpenSilences(reader: Reader, workspace: string, now: number): Promise<number> {
  let count = 0
  for await (const { length } of openSilences(reader, workspace, now)) count += length
  return count
}

/** Returns the silences of a workspace that are ACTIVE at `now`, in milliseconds since 1970, in the order of their ids. */
export async function activeSilences(
  reader: Reader,
  workspace: string,
  now: number,
): Promise<readonly StoredSilence[]> {
  const active: StoredSilence[] = []
  for await (const open of openSilences(reader, workspace, now))
    active.push(...open.filter(silence => stateAt(silence, now) === silenceStates.active))
  return active.toSorted((one, other) => (one.id < other.id ? -1 : 1))
}
