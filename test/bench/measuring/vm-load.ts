import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '../../../runtime/errors.ts'
import { areas } from '../../../server/areas.ts'
import { openStoreSnapshot } from '../../../server/platform-store.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { addLoadPlace, verbsOfLife, type LoadPlace } from '../../domain/compute/load/vm-lives.ts'
import { vmRemains } from '../../domain/compute/load/vm-remains.ts'
import type { ServedPlatform } from '../../server/iam/served-platform.ts'
import { loopDelays } from './loop-delays.ts'
import { overPlace, storeName } from './vm-bench-place.ts'
import { ledBy, serveVms } from './vm-server.ts'

const clients = 4
const machinesOfOne = 250

/** The p99 of reads under the load may be this multiple of the p99 of the idle server. */
const limit = 3

/** How long the idle server is read, and the pause between two reads, in milliseconds. */
const idleMs = 5000
const pauseMs = 5

/** The event loop of the server may be held for this time, in milliseconds. */
const heldLimitMs = 20

/**
 * Prints the calls of a load of 1,000 machines, the p99 of reads before, during and after it, and the delays of the
 * event loop of the server; returns whether reads and the event loop kept their limits. Throws when an operation was
 * lost, or anything is left of the machines.
 */
export const printVmLoad = (storeUrl: string | undefined): Promise<boolean> =>
  overPlace(storeUrl, async (place, later) => {
    const server = await serveVms(place, 0, later)
    const at = await addLoadPlace((await server.admin()).api)
    await ledBy(server, [{ place: at, name: 'kept', count: 1, verbs: ['create'] }])
    await readsUntil(server, at, sleep(idleMs / 2))
    const before = await readsUntil(server, at, sleep(idleMs))
    await loopDelays(server)
    const since = performance.now()
    const parts = Array.from({ length: clients }, (_, i) => {
      return { place: at, name: `vm-${i}`, count: machinesOfOne, verbs: verbsOfLife }
    })
    const load = ledBy(server, parts)
    // The first failure is reported: the others only follow from the end of the server.
    const [operations, during] = await Promise.all([load, readsUntil(server, at, load)])
    const seconds = (performance.now() - since) / 1000
    const delays = await loopDelays(server)
    const after = await readsUntil(server, at, sleep(idleMs))
    const { api } = await server.admin()
    const [kept] = (await api.compute.listVms({ workspace: at.workspace })).vms
    if (kept) await api.compute.waitOperation(await api.compute.deleteVm({ workspace: at.workspace, id: kept.id }))
    const snapshot = await openStoreSnapshot(place, areas)
    const faults = [...(await vmRemains(snapshot)), ...(await doctorFindings(place))]
    await snapshot.close()
    if (faults.length > 0) throw new Error(faults.join('\n'))
    console.log(`\n${clients * machinesOfOne} machines by ${clients} clients, ${storeName(storeUrl)}`)
    const rate = (operations.length / seconds).toFixed(0)
    console.log(`  ${operations.length} operations DONE in ${seconds.toFixed(1)} s, ${rate} a second; nothing is left`)
    for (const [name, reads] of Object.entries({ before, during, after })) console.log(`  ${told(name, reads)}`)
    const ratio = p99(during) / Math.max(p99(before), p99(after))
    const isRead = ratio <= limit
    console.log(
      `  p99 of reads during the load ${ratio.toFixed(2)} x of the idle server; limit ${limit} x: ${verdict(isRead)}`,
    )
    const isFree = delays.max <= heldLimitMs
    const held = `p99 ${ms(delays.p99)}, at most ${ms(delays.max)}; limit ${heldLimitMs} ms: ${verdict(isFree)}`
    console.log(`  event loop of the server during the load held ${held}`)
    return isRead && isFree
  })

/** The times of answered reads in milliseconds, and the number of the reads that a busy server refused. */
interface Reads {
  readonly times: readonly number[]
  readonly refused: number
}

/** Reads a machine and a list in turn until something has ended. */
async function readsUntil({ admin }: ServedPlatform, { workspace }: LoadPlace, end: Promise<unknown>): Promise<Reads> {
  const { compute } = (await admin()).api
  const [first] = (await compute.listVms({ workspace, page_size: 1, filter: 'name = "kept-0"' })).vms
  if (!first) throw new Error('there is no machine to read')
  const times: number[] = []
  let refused = 0
  const reading = new AbortController()
  const over = end.finally(() => reading.abort())
  for (let i = 0; !reading.signal.aborted; i += 1) {
    const since = performance.now()
    try {
      if (i % 2 === 0) await compute.getVm({ workspace, id: first.id })
      else await compute.listVms({ workspace, page_size: 20 })
      times.push(performance.now() - since)
    } catch (error) {
      if (!(error instanceof ApiError) || error.response?.status !== 503) throw error
      refused += 1
    }
    await sleep(pauseMs)
  }
  await over
  return { times, refused }
}

const told = (name: string, { refused, times }: Reads): string =>
  `${name.padEnd(8)}${String(times.length).padStart(6)} reads, median ${ms(quantile(times, 0.5))}, p99 ${ms(quantile(times, 0.99))}` +
  (refused === 0 ? '' : `; ${refused} refused`)

const p99 = ({ times }: Reads): number => quantile(times, 0.99)

const verdict = (isMet: boolean): string => (isMet ? 'met' : 'missed')

const ms = (time: number): string => `${time.toFixed(2)} ms`

const quantile = (times: readonly number[], part: number): number =>
  times.toSorted((one, other) => one - other)[Math.floor(times.length * part)] ?? Number.NaN
