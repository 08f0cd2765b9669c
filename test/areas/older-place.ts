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
 * Makes the store that the commit before an area has left. It stands for a server that does not know the area: this
 * version starts with the areas named in `standing` alone, so that the tables and rows of all others are missing, is
 * filled, and ends. It does not stand for an older form of the rows of the areas that are standing. The place goes
 * `later`, by default with the running test.
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
