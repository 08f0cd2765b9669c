import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { storeCollections, type StorePlace } from '../../../server/platform-store.ts'
import { copyPlace, testStorePlace } from '../../server/store/left-place.ts'
import { testAreas } from './areas.ts'
import { quiet, setScene, tell, type Cast } from './crash-story.ts'
import { depotPlatform, readStore } from './depot-platform.ts'
import { shelves, things } from './depot.ts'
import { faultsOf } from './settled-tree.ts'

const program = fileURLToPath(new URL('./crash-worker.ts', import.meta.url))

/**
 * The test kills at every eleventh point; these points alternate between inside and after a transaction. All points
 * take one to two minutes: `NINEFOLD_CRASH_POINTS=all npx vitest run test/domain/taxonomy/cascade-crash.test.ts`
 */
const stride = process.env['NINEFOLD_CRASH_POINTS'] === 'all' ? 1 : 11

const collections = storeCollections(testAreas())

/** The number of concurrent processes. */
const lanes = 2

/**
 * Runs the story in a process of its own, which kills itself at the point. Returns `killed`, or the output if the
 * process was not killed.
 */
async function tellAndDie(place: StorePlace, cast: Cast, point: string): Promise<string> {
  const args = [program, JSON.stringify(place), JSON.stringify(cast), point]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [said] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return child.signalCode === 'SIGKILL' ? 'killed' : said
}

/** Repeats the story on the store of a killed process, and checks the result. */
async function finish(place: StorePlace, cast: Cast): Promise<void> {
  const { client, close } = await depotPlatform(place)
  const store = await readStore(place)
  try {
    const { free, move, purge, suspend } = await tell(client, cast, () => quiet(store))
    const now = ({ id }: { readonly id: string }) => client.getOperation({ id })
    for (const { id } of [purge, free, move]) {
      expect(await now({ id })).toMatchObject({ status: 'TAXONOMY_OPERATION_STATUS_DONE', progress: 100, errors: [] })
    }
    const { errors, status } = await now(suspend)
    expect(status).toBe(`TAXONOMY_OPERATION_STATUS_${errors.length > 0 ? 'ERROR' : 'DONE'}`)
    expect(errors.map(({ reason }) => reason)).toEqual(errors.length > 0 ? ['LIFECYCLE_HOOK_FAILED'] : [])
    for (const id of [cast.suspended, cast.purged, cast.freed, cast.moved]) {
      const types = (await client.listOperations({ filter: `resource_id = "${id}"` })).operations
      expect(types.length).toBe(id === cast.purged || id === cast.freed ? 3 : 2)
    }
    for (const id of [cast.slow, cast.failing, cast.resting]) {
      expect((await store.get(shelves, id))?.value).toEqual({ id, state: 'SUSPENDED', changes: 1 })
    }
    for (const id of [cast.purged, cast.freed]) expect(await store.get(shelves, id)).toBeUndefined()
    expect(await store.count(things)).toBe(0)
    const { organisation } = cast
    expect((await client.getGroup({ organisation, id: cast.moved })).parent_group_id).toBe(cast.target)
    expect((await client.getEffectiveQuota({ organisation, id: 'compute.vcpus' })).usage).toBe(0)
    expect(await faultsOf(store)).toEqual([])
  } finally {
    await store.close()
    await close()
  }
}

it(
  'work continues after a kill of its process at any point of a cascade, purge or move',
  { timeout: 600_000 },
  async () => {
    const scene = await testStorePlace()
    const platform = await depotPlatform(scene)
    const store = await readStore(scene)
    const cast = await setScene(platform, store)
    await store.close()
    await platform.close()

    const whole = await copyPlace(scene, collections)
    const said = await tellAndDie(whole, cast, '')
    const count = Number(/^finished after (\d+) points/.exec(said)?.[1])
    expect(count).toBeGreaterThan(80)
    await finish(whole, cast)

    const points = Array.from({ length: count }, (_, i) => i + 1).filter(point => point % stride === 0)
    let killed = 0
    const walk = async (): Promise<void> => {
      for (let point = points.shift(); point !== undefined; point = points.shift()) {
        const own = await copyPlace(scene, collections)
        if ((await tellAndDie(own, cast, String(point))) === 'killed') killed += 1
        await finish(own, cast).catch((error: unknown) => {
          throw new Error(`killed at point ${point} of ${count}`, { cause: error })
        })
      }
    }
    const planned = points.length
    await Promise.all(Array.from({ length: lanes }, walk))
    // The number of points of a run varies a little, because the number of polls varies; a run may end before the last
    // points.
    expect(killed).toBeGreaterThan(planned * 0.8)
  },
)
