import { printLogs } from './measuring/observability/logs.ts'
import { printMetrics } from './measuring/observability/metrics.ts'
import { printTraces } from './measuring/observability/traces.ts'

/**
 * Prints figures of telemetry, each beside its limit. The measured server is the built package, as users run it, on one
 * processor; the senders and callers are on another.
 *
 * - `metrics`: remote writes, a range query over 1,000 series and an hour beside Prometheus, the memory, the event loop,
 *   and reads of another area during queries: 10,000 series with 40 samples, or 240 with `full`;
 * - `logs`: a search for an identifier that 100 of 1,000,000 lines have, or of 10,000,000 with `full`;
 * - `traces`: a read of a trace by its id among 100,000 spans, or 1,000,000 with `full`.
 *
 * `npm run bench observability logs full` prints one part at the full size. A part that exceeds a limit sets the exit
 * status.
 */
const [, , , ...asked] = process.argv
const isFull = asked.includes('full')
const parts = {
  metrics: () => printMetrics({ series: 10_000, steps: isFull ? 240 : 40 }),
  logs: () => printLogs(isFull ? 10_000_000 : 1_000_000),
  traces: () => printTraces(isFull ? 1_000_000 : 100_000),
}
const isAny = Object.keys(parts).some(name => asked.includes(name))

for (const [name, print] of Object.entries(parts)) {
  if (isAny && !asked.includes(name)) continue
  console.log(name)
  if (!(await print())) process.exitCode = 1
}
