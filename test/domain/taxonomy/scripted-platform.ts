import { afterEach, expect } from 'vitest'
import type { Reader } from '../../../domain/ports/store.ts'
import { followings } from '../../../domain/taxonomy/cascade/following.ts'
import type { FollowTimes } from '../../../domain/taxonomy/cascade/reconcile.ts'
import type { TaxonomyOperation } from '../../../output/taxonomy/types.ts'
import { isEnded } from '../../../runtime/operations.ts'
import type { AreaModule } from '../../../server/area.ts'
import type { Log } from '../../../server/log.ts'
import { works } from '../../../server/operations/work.ts'
import type { StorePlace } from '../../../server/platform-store.ts'
import { areaPlace } from '../../areas/test-platform.ts'
import { quickTimes, testAreas } from './areas.ts'
import { shelves } from './depot.ts'
import { depotPlatform, readStore, type DepotPlatform } from './depot-platform.ts'
import { Script } from './scripted-area.ts'
import { afterTests } from '../../undo.ts'

/** The options of polls: a condition is checked every 5 ms, for at most a minute. */
export const within = { timeout: 60_000, interval: 5 }

/** Times with a rest after failures that exceeds every test. */
export const patientTimes: FollowTimes = { ...quickTimes, restMs: 600_000 }

/** A platform whose areas follow a script. */
export interface ScriptedPlatform extends Omit<DepotPlatform, 'close'> {
  readonly place: StorePlace
  readonly script: Script
  readonly store: Reader
  operation(id: string): Promise<TaxonomyOperation>
  /** Waits until the operation has ended, successfully or not; returns the operation. */
  ended(operation: Pick<TaxonomyOperation, 'id'>): Promise<TaxonomyOperation>
  /** Returns the state of a workspace in the depot; undefined if the depot has no shelf of the workspace. */
  shelf(workspace: string): Promise<string | undefined>
  /** Waits until all work has ended, except for work that rests after failures. */
  quiet(): Promise<void>
}

/**
 * Starts a platform, which stops after the tests of the file. A test fails if two hooks have run concurrently in one
 * workspace.
 */
export async function scriptedPlatform(
  times: FollowTimes = quickTimes,
  others: (script: Script) => readonly AreaModule[] = () => [],
  log?: Log,
): Promise<ScriptedPlatform> {
  const script = new Script()
  const more = others(script)
  const place = await areaPlace([...testAreas(), ...more], afterTests)
  const { close, ...platform } = await depotPlatform(place, script.control, times, more, log)
  const store = await readStore(place)
  afterEach(() => expect(script.overlaps).toEqual([]))
  afterTests(async () => {
    await store.close()
    await close()
  })
  const operation = (id: string): Promise<TaxonomyOperation> => platform.client.getOperation({ id })
  return {
    ...platform,
    place,
    script,
    store,
    operation,
    async ended({ id }) {
      await expect.poll(async () => isEnded(await operation(id)), within).toBe(true)
      return operation(id)
    },
    shelf: async workspace => (await store.get(shelves, workspace))?.value.state,
    async quiet() {
      const resting = async (): Promise<number> => {
        let count = 0
        for await (const { value } of store.each(followings)) if (value.is_resting) count += 1
        return count
      }
      await expect.poll(async () => (await store.count(works)) - (await resting()), within).toBe(0)
    },
  }
}
