import { mkdirSync } from 'node:fs'
import type { Ninefold } from '../../output/client.ts'
import { areas } from '../../server/areas.ts'
import type { StorePlace } from '../../server/platform-store.ts'
import { testPlatform } from './test-platform.ts'

/** Opens a guarded platform of these areas over a place, has its administrator do something, and ends it. */
export async function whileOpen<R>(place: StorePlace, act: (api: Ninefold) => Promise<R>, mounted = areas): Promise<R> {
  // The file with the password of the administrator lies in the folder, before the platform would make it.
  mkdirSync(place.dataDir, { recursive: true, mode: 0o700 })
  const undo: (() => void | Promise<void>)[] = []
  try {
    const platform = await testPlatform({ areas: mounted, config: place, later: each => void undo.push(each) })
    return await act((await platform.admin()).api)
  } finally {
    for (const each of undo.toReversed()) await each()
  }
}
