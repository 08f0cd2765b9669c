import type { Pinned, ProcessorTime } from './pinned-server.ts'
import { quantile, type Tally } from './tally.ts'

/** Prints the number of responses of each status, and the times of all responses. */
export function printTally(name: string, tally: Tally): void {
  console.log(`  ${name}: ${tally.statuses()}`)
  printTimes('all responses', tally.of())
}

/** Prints the median, the p99 and the longest of some times in milliseconds. */
export function printTimes(name: string, times: readonly number[]): void {
  const [median = 0, p99 = 0, most = 0] = [0.5, 0.99, 1].map(part => quantile(times, part))
  console.log(`    ${name}: median ${median.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, longest ${most.toFixed(0)} ms`)
}

/** Prints a limit, the measured value and whether the value meets the limit. */
export function printLimit(limit: string, measured: string, isMet: boolean): void {
  console.log(`  ${isMet ? 'met' : 'MISSED'}: ${limit}: ${measured}`)
}

/** The use of the processor of a server during a measurement. */
export interface Load {
  readonly name: string
  readonly seconds: number
  /** The time for which the main thread of the server ran and waited; undefined on other systems than Linux. */
  readonly processor: ProcessorTime | undefined
}

/** Runs `measure`; returns its result and the use of the processor of the server meanwhile. */
export async function underLoad<T>(
  name: string,
  server: Pinned,
  measure: () => Promise<T>,
): Promise<{ readonly result: T; readonly load: Load }> {
  const before = server.processorTime()
  const beganMs = performance.now()
  const result = await measure()
  const seconds = (performance.now() - beganMs) / 1000
  const after = server.processorTime()
  const processor = before && after && { ranMs: after.ranMs - before.ranMs, waitedMs: after.waitedMs - before.waitedMs }
  return { result, load: { name, seconds, processor } }
}

/** Prints the part of the time for which a server ran, and the part for which other programs used its processor. */
export function printLoad({ name, processor, seconds }: Load): void {
  if (processor === undefined) return
  const part = (ms: number): string => `${(ms / seconds / 10).toFixed(0)} %`
  const { ranMs, waitedMs } = processor
  console.log(
    `  ${name}: the server ran ${part(ranMs)} of the time; other programs had its processor ${part(waitedMs)}`,
  )
}
