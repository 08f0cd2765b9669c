import { loopDelays } from '../loop-delays.ts'
import type { PinnedServer } from '../overload/pinned-server.ts'
import { meets, meetsLoop, secondsOf } from './limits.ts'
import { residentBytes } from './served-bucket.ts'
import type { Answered } from './transfers.ts'

const sampleMs = 20

/** The memory of the process tree may grow by this number of MiB. */
const limitMib = 64

/** Transfers that run at a time. */
export interface Transfers {
  readonly method: 'PUT' | 'GET'
  readonly streams: number
  /** The bytes of each transfer. */
  readonly size: number
  readonly run: () => Promise<readonly Answered[]>
}

/**
 * Prints by how much the resident memory of a server's processes grows during transfers; returns whether the growth and
 * the event loop kept their limits. Throws if a transfer was refused.
 */
export async function printGrowth(server: PinnedServer, { method, run, size, streams }: Transfers): Promise<boolean> {
  await loopDelays(server)
  const before = residentBytes(server.pid)
  let most = before
  const timer = setInterval(() => (most = Math.max(most, residentBytes(server.pid))), sampleMs)
  const seconds = await secondsOf(async () => {
    const refused = (await run()).filter(({ status }) => status > 201)
    if (refused.length > 0) throw new Error(`${refused.length} transfers were answered ${refused[0]?.status}`)
  })
  clearInterval(timer)
  const mib = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MiB`
  console.log(`\n${method} of ${streams} x ${size / 1e6} MB at a time, ${seconds.toFixed(1)} s`)
  const grown = `${mib(most - before)}, from ${mib(before)} to ${mib(most)}`
  const isSmall = most - before < limitMib * 2 ** 20
  const isMet = meets(`the memory grows by less than ${limitMib} MiB`, grown, isSmall)
  return (await meetsLoop(server)) && isMet
}
