import { setTimeout as sleep } from 'node:timers/promises'
import { storeCollections } from '../../../server/platform-store.ts'
import { areas } from '../../../server/areas.ts'
import { works } from '../../../server/operations/work.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { addLoadPlace, type Part } from '../../domain/compute/load/vm-lives.ts'
import { openBeside } from '../../server/store/left-place.ts'
import { overPlace, storeName } from './vm-bench-place.ts'
import { ledBy, serveVms } from './vm-server.ts'

const clients = 4
const machinesOfOne = 250

/** The machines whose stop is under way at the kill. */
const stopping = 500

/** A restarted server must listen within this time, in milliseconds. */
const limitMs = 2000

/** Changes take about a second, so that the kill meets many of them. */
const scale = 0.3

/**
 * Kills a server with 1,000 machines, of which half are being stopped, and prints the time until the next one listens,
 * and until all operations have ended; beside it the start over a store without machines. Returns whether the server
 * listened in time.
 */
export const printVmRestart = (storeUrl: string | undefined): Promise<boolean> =>
  overPlace(storeUrl, async (place, later) => {
    const filling = await serveVms(place, 0, later)
    const empty: number[] = []
    const timed = async (): Promise<number> => {
      const since = performance.now()
      await (await serveVms(place, scale, later)).kill()
      return performance.now() - since
    }
    const at = await addLoadPlace((await filling.admin()).api)
    await filling.kill()
    for (let i = 0; i < 3; i += 1) empty.push(await timed())
    const filler = await serveVms(place, 0, later)
    const verbs: Part['verbs'] = ['create', 'start']
    await ledBy(filler, partsOf({ place: at, name: 'vm', count: machinesOfOne, verbs }))
    await filler.kill()
    const resting: number[] = []
    for (let i = 0; i < 3; i += 1) resting.push(await timed())
    const killed = await serveVms(place, scale, later)
    const { compute } = (await killed.admin()).api
    const ids: string[] = []
    for await (const { id } of compute.iterateVms({ workspace: at.workspace, page_size: 100 })) ids.push(id)
    const calls = ids.slice(0, stopping)
    await Promise.all(
      Array.from({ length: clients }, async (_, i) => {
        for (const [at_, id] of calls.entries())
          if (at_ % clients === i) await compute.stopVm({ workspace: at.workspace, id, body: {} })
      }),
    )
    await killed.kill()
    const store = await openBeside(place, storeCollections(areas))
    const open = await store.count(works)
    const since = performance.now()
    await serveVms(place, scale, later)
    const listensMs = performance.now() - since
    while ((await store.count(works)) > 0) await sleep(20)
    const endedMs = performance.now() - since
    await store.close()
    const faults = await doctorFindings(place)
    if (faults.length > 0) throw new Error(faults.join('\n'))
    const all = clients * machinesOfOne
    console.log(`\na restart with ${all} machines, ${storeName(storeUrl)}`)
    console.log(`  without machines it listens and is killed after ${told(empty)}`)
    console.log(`  with ${all} machines that rest                 ${told(resting)}`)
    console.log(
      `  killed with ${open} operations open, it listens after ${listensMs.toFixed(0)} ms; limit ${limitMs} ms`,
    )
    console.log(`  all operations have ended after ${endedMs.toFixed(0)} ms`)
    return listensMs <= limitMs
  })

const partsOf = (part: Part): readonly Part[] =>
  Array.from({ length: clients }, (_, i) => ({ ...part, name: `${part.name}-${i}` }))

const told = (times: readonly number[]): string => times.map(time => `${time.toFixed(0)} ms`).join(', ')
