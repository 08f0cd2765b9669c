import { onTestFinished } from 'vitest'
import type { Ninefold } from '../../output/client.ts'
import { areas } from '../../server/areas.ts'
import type { StorePlace } from '../../server/platform-store.ts'
import type { Later } from '../server/store/harness.ts'
import { testStorePlace } from '../server/store/left-place.ts'
import { whileOpen } from './while-open.ts'

/** The place of a store from before an area existed, and the result of the function that filled the store. */
export interface OlderPlace<Filled> {
  readonly place: StorePlace
  readonly filled: Filled
}

/**
 * Makes a store as a server without some areas leaves it: a platform with only the areas `standing` starts, `fill`
 * fills the store, and the platform stops. The tables and rows of other areas are missing; the rows of the standing
 * areas have their present form. `later` removes the place, by default at the end of the running test.
 */
export async function olderPlace<Filled>(
  standing: readonly string[],
  fill: (api: Ninefold) => Promise<Filled>,
  later: Later = onTestFinished,
): Promise<OlderPlace<Filled>> {
  const place = await testStorePlace(later)
  const mounted = areas.filter(({ domain }) => standing.includes(domain.name))
  return { place, filled: await whileOpen(place, fill, mounted) }
}
