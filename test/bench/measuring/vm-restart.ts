import { setTimeout as sleep } from 'node:timers/promises'
import { vmCollection } from '../../../domain/compute/vms/vms-store.ts'
import { areas } from '../../../server/areas.ts'
import { createClock } from '../../../server/clock.ts'
import { works } from '../../../server/operations/work.ts'
import { storeCollections, type StorePlace } from '../../../server/platform-store.ts'
import type { ServerStore } from '../../../server/store/server-store.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { addLoadPlace } from '../../domain/compute/load/vm-lives.ts'
import { tinyBody } from '../../domain/compute/tenant-vms.ts'
import { openBeside } from '../../server/store/left-place.ts'
import { overPlace, storeName, type Undo } from './vm-bench-place.ts'
import { copyVm, vmOperations, vmRowsOf } from './vm-copies.ts'
import { serveVms } from './vm-server.ts'
import { median } from './rounds.ts'

/** The machines at the restart. A machine that stops has a stop in progress, which is due at the start of the server. */
const counts = { runs: 250, rests: 250, stops: 500 } as const

/** A restarted server must listen within this time, in milliseconds. */
const limitMs = 2000

/**
 * Starts a server over 1,000 machines, of which half have an operation that a killed server has left, and prints the
 * time from the start of the process until the server listens, and until all operations have ended; beside it the start
 * with 3 machines, and with 1,000 machines without operations. The machines are copies of rows, because 1,000 creations
 * take longer than all the rest. Returns whether the server listened in time.
 */
export const printVmRestart = (storeUrl: string | undefined): Promise<boolean> =>
  overPlace(storeUrl, async (place, later) => {
    const templates = await addTemplates(place, later)
    const few = await timedStarts(place, later)
    await beginStop(place, templates.stops, later)
    const store = await openBeside(place, storeCollections(areas))
    const clock = createClock()
    for (const [name, id] of Object.entries(templates)) {
      const rows = await vmRowsOf(store, id)
      await store.tx(tx => copyVm(tx, clock, rows, countOf(name) - 1))
    }
    const open = await store.count(works)
    const since = performance.now()
    const server = await serveVms(place, 1, later)
    const listensMs = performance.now() - since
    while ((await store.count(works)) > 0) await sleep(20)
    const endedMs = performance.now() - since
    await requireStopped(store)
    await store.close()
    await server.kill()
    const resting = await timedStarts(place, later)
    const faults = await doctorFindings(place)
    if (faults.length > 0) throw new Error(faults.join('\n'))
    console.log(`\na restart with 1,000 machines, ${storeName(storeUrl)}; limit ${limitMs} ms`)
    console.log(`  with 3 machines, it listens after                        ${told(few)}`)
    console.log(`  with ${open} operations in progress, it listens after        ${told([listensMs])}`)
    console.log(`  all operations have ended after                          ${told([endedMs])}`)
    console.log(`  with 1,000 machines that rest, it listens after          ${told(resting)}`)
    return Math.max(listensMs, median(resting)) <= limitMs
  })

const countOf = (name: string): number => Object.entries(counts).find(([known]) => known === name)?.[1] ?? 0

/** Creates two machines that run and a machine that is off; returns their ids, keyed by name. */
async function addTemplates(
  place: StorePlace,
  later: (undo: Undo) => void,
): Promise<Readonly<Record<keyof typeof counts, string>>> {
  const server = await serveVms(place, 0, later)
  const { api } = await server.admin()
  const { workspace } = await addLoadPlace(api)
  const create = async (name: keyof typeof counts): Promise<string> => {
    const body = { ...tinyBody, name, start_on_create: name !== 'rests' }
    return (await api.compute.waitOperation(await api.compute.createVm({ workspace, body }))).resource_id
  }
  const templates = { runs: await create('runs'), rests: await create('rests'), stops: await create('stops') }
  await server.kill()
  return templates
}

/** Kills a server while a machine stops. */
async function beginStop(place: StorePlace, id: string, later: (undo: Undo) => void): Promise<void> {
  // At this scale a stop takes three seconds.
  const server = await serveVms(place, 1, later)
  const { compute } = (await server.admin()).api
  const store = await openBeside(place, storeCollections(areas))
  const workspace = (await store.get(vmCollection, id))?.value.workspace_id ?? ''
  await compute.stopVm({ workspace, id, body: {} })
  while ((await store.count(works, { state: 'WAITING' })) === 0) await sleep(5)
  await server.kill()
  await store.close()
}

/** Returns the times from the start of the process until the server listens, in milliseconds. */
async function timedStarts(place: StorePlace, later: (undo: Undo) => void): Promise<readonly number[]> {
  const times: number[] = []
  for (let i = 0; i < 3; i += 1) {
    const since = performance.now()
    const server = await serveVms(place, 0, later)
    times.push(performance.now() - since)
    await server.kill()
  }
  return times
}

/** Throws if a stop has not ended as DONE. */
async function requireStopped(store: ServerStore): Promise<void> {
  const where = { operation_type: 'COMPUTE_OPERATION_TYPE_STOP', status: 'COMPUTE_OPERATION_STATUS_DONE' } as const
  const stopped = await store.count(vmOperations, where)
  if (stopped !== counts.stops) throw new Error(`${stopped} of ${counts.stops} stops are DONE`)
}

const told = (times: readonly number[]): string => times.map(time => `${time.toFixed(0)} ms`).join(', ')
