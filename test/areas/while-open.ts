import { mkdirSync } from 'node:fs'
import type { Ninefold } from '../../output/client.ts'
import { areas } from '../../server/areas.ts'
import type { Config } from '../../server/config.ts'
import type { StorePlace } from '../../server/platform-store.ts'
import { testPlatform } from './test-platform.ts'

/** A place, and the settings of areas that differ from the defaults. */
export type OpenedPlace = StorePlace & Pick<Partial<Config>, 'given'>

/**
 * Opens a guarded platform of the areas `mounted` over a place, runs `act` with the client of its administrator, and
 * closes the platform; returns the result of `act`.
 */
export async function whileOpen<R>(
  place: OpenedPlace,
  act: (api: Ninefold) => Promise<R>,
  mounted = areas,
): Promise<R> {
  // The file with the administrator's password lies in the data folder, so the folder must exist before the platform
  // starts.
  mkdirSync(place.dataDir, { recursive: true, mode: 0o700 })
  const undo: (() => void | Promise<void>)[] = []
  try {
    const platform = await testPlatform({ areas: mounted, config: place, later: each => void undo.push(each) })
    return await act((await platform.admin()).api)
  } finally {
    for (const each of undo.toReversed()) await each()
  }
}
