import { onTestFinished } from 'vitest'
import type { Ninefold } from '../../output/client.ts'
import { areas } from '../../server/areas.ts'
import type { StorePlace } from '../../server/platform-store.ts'
import type { Later } from '../server/store/harness.ts'
import { testStorePlace } from '../server/store/left-place.ts'
import { whileOpen } from './while-open.ts'

/** A store from before an area existed, and its content. */
export interface OlderPlace<Filled> {
  readonly place: StorePlace
  readonly filled: Filled
}

/**
 * Makes the store that a server without an area has left: a platform starts with only the areas in `standing`, so the
 * tables and rows of other areas are missing; `fill` fills the store, and the platform stops. The rows of the standing
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
