import { loopDelays, type LoopDelays } from '../loop-delays.ts'
import type { Pinned } from '../overload/pinned-server.ts'
import { printLimit } from '../overload/report.ts'

/** The event loop of the server may be held for this time, in milliseconds. */
const heldMs = 20

/** Prints whether a measured value meets a limit, and returns it. */
export function meets(limit: string, measured: string, isMet: boolean): boolean {
  printLimit(limit, measured, isMet)
  return isMet
}

/** Prints for how long the event loop of a server was held since its metrics were last read; returns whether briefly. */
export const meetsLoop = async (server: Pinned): Promise<boolean> => meetsHeld([await loopDelays(server)])

/** Prints the longest of some delays; returns whether they are within the limit. */
export function meetsHeld(delays: readonly LoopDelays[]): boolean {
  const most = (of: keyof LoopDelays): number => Math.max(...delays.map(each => each[of]))
  const measured = `p99 ${most('p99').toFixed(1)} ms, at most ${most('max').toFixed(1)} ms`
  return meets(`the event loop is held for at most ${heldMs} ms`, measured, most('max') <= heldMs)
}

/** Returns the time of some work in seconds. */
export async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const since = performance.now()
  await work()
  return (performance.now() - since) / 1000
}
