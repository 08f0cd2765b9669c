import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import type { Metric } from '../../health/metrics.ts'

/** The time between two looks at the event loop, in milliseconds. */
const resolutionMs = 20

/** Measures this process: memory, CPU, and the event loop since the last call of `next`. */
export class ProcessMeter {
  readonly #delays = monitorEventLoopDelay({ resolution: resolutionMs })
  #before = performance.eventLoopUtilization()
  #utilization = 0
  #delaySeconds: Readonly<Record<'median' | 'p99' | 'max', number>> = { median: 0, p99: 0, max: 0 }

  /** The metrics of the process; the values of the event loop are those of the last interval. */
  readonly metrics: readonly Metric[] = [
    gauge('ninefold_process_resident_bytes', 'Memory of the process.', () => process.memoryUsage.rss()),
    gauge('ninefold_process_heap_bytes', 'Objects in the heap.', () => process.memoryUsage().heapUsed),
    gauge('ninefold_process_external_bytes', 'Memory of buffers.', () => process.memoryUsage().external),
    {
      kind: 'counter',
      name: 'ninefold_process_cpu_seconds_total',
      help: 'CPU time of the process, its threads included.',
      read: () => [{ labels: {}, value: cpuSeconds(process.cpuUsage()) }],
    },
    gauge('ninefold_event_loop_utilization', 'Share of the interval in which the event loop was busy.', () => {
      return this.#utilization
    }),
    gauge('ninefold_event_loop_delay_median_seconds', 'Median delay of timers.', () => this.#delaySeconds.median),
    gauge('ninefold_event_loop_delay_p99_seconds', 'Delay that 1 of 100 timers exceeds.', () => this.#delaySeconds.p99),
    gauge('ninefold_event_loop_delay_max_seconds', 'Longest delay of a timer.', () => this.#delaySeconds.max),
  ]

  constructor() {
    this.#delays.enable()
  }

  /** Ends an interval, whose values the metrics then have, and begins the next interval. */
  next(): void {
    const now = performance.eventLoopUtilization()
    this.#utilization = performance.eventLoopUtilization(now, this.#before).utilization
    this.#before = now
    this.#delaySeconds = {
      median: delaySeconds(this.#delays.percentile(50)),
      p99: delaySeconds(this.#delays.percentile(99)),
      max: delaySeconds(this.#delays.max),
    }
    this.#delays.reset()
  }

  end(): void {
    this.#delays.disable()
  }
}

const gauge = (name: string, help: string, read: () => number): Metric => ({ kind: 'gauge', name, help, read })

const cpuSeconds = ({ system, user }: NodeJS.CpuUsage): number => (system + user) / 1e6

/** Returns a delay in seconds for a measured interval in nanoseconds, which includes the time between two looks. */
const delaySeconds = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - resolutionMs / 1000)
