import type { RetainedBytes, TelemetryRetention } from '../../../../domain/observability/telemetry-retention.ts'
import { dayMs } from '../files/places.ts'
import { FileFault } from '../files/telemetry-file.ts'
import { SeriesRetention } from '../retention/series-retention.ts'
import { bytesIn, nothingKept } from '../writing/purge-workspace.ts'
import type { StartedTrace } from './trace-index.ts'
import type { WorkspaceTraces } from './workspace-traces.ts'

/** The number of traces that one step reads or deletes: a step takes some milliseconds. */
const tracesOfStep = 200

/** The labels by which policies select a trace: the service of its root span. */
export const labelsOfTrace = (service: string | null): { readonly service_name: string } => ({
  service_name: service ?? '',
})

/** What a purge works with. */
export interface TracePurge {
  /** Returns the traces of the workspace, for which nothing waits; undefined if the workspace has none any more. */
  readonly settled: () => WorkspaceTraces | undefined
  readonly retention: TelemetryRetention
  readonly now: number
  /** Takes the faults of files of days, which are left out. */
  readonly report: (fault: FileFault) => void
}

/**
 * Deletes the traces that start before their retention, and the days that lie wholly before all retentions. Stores the
 * retention, beyond which reads show nothing from now on. Each step leaves the files whole, so that spans may be written
 * in between, and that a purge that ends between two steps can be done again.
 */
export function* purgeTraces(purge: TracePurge): Generator<void, RetainedBytes> {
  const { now, retention: given, settled } = purge
  const retention = new SeriesRetention(given)
  settled()?.index.storeRetention(JSON.stringify(given))
  const isOver = (day: number): boolean => now - (day + 1) * dayMs > retention.longestMs
  yield* deleteTraces(purge, retention, isOver)
  for (const day of settled()?.places.days() ?? []) {
    yield
    yield* onDay(purge, function* () {
      const days = settled()?.days
      if (isOver(day) || days?.open(day).isEmpty()) days?.remove(day)
      else while (settled()?.days.open(day).shrink() === false) yield
    })
  }
  const selected = given.selected.map(() => 0)
  if (selected.length > 0) yield* addBytes(selected, purge, retention)
  const places = settled()?.places
  return places === undefined ? nothingKept(given) : { total: bytesIn(places.folder), selected }
}

/**
 * Deletes the expired traces: their spans first, unless the file of their day is deleted, so that no span is left without
 * its trace.
 */
function* deleteTraces(
  purge: TracePurge,
  retention: SeriesRetention,
  isOver: (day: number) => boolean,
): Generator<void> {
  const before = (purge.now - retention.shortestMs) * 1000
  let after: Pick<StartedTrace, 'number' | 'start'> | undefined
  for (;;) {
    const traces = purge.settled()
    const page = traces?.index.startedBefore(before, tracesOfStep, after) ?? []
    after = page.at(-1)
    const gone = page.filter(({ service, start }) => start < (purge.now - retention.of(labelsOfTrace(service))) * 1000)
    if (traces !== undefined && gone.length > 0) {
      for (const day of traces.places.days()) {
        const here = gone.filter(({ first, last }) => first <= day && day <= last)
        if (here.length === 0 || isOver(day)) continue
        yield* onDay(purge, () => {
          traces.days.open(day).removeTraces(here.map(({ number }) => number))
        })
      }
      traces.index.delete(gone.map(({ number }) => number))
      traces.forget()
    }
    if (page.length < tracesOfStep) return
    yield
  }
}

/** Adds the bytes of the spans of traces to the sums of the policies that select the traces. */
function* addBytes(sums: number[], purge: TracePurge, retention: SeriesRetention): Generator<void> {
  for (const day of purge.settled()?.places.days() ?? [])
    yield* onDay(purge, function* () {
      for (let from = 0; ; yield) {
        const traces = purge.settled()
        const page = traces?.days.open(day).bytesOfTraces(from, tracesOfStep) ?? []
        for (const [trace, bytes] of page) {
          from = trace
          const service = traces?.index.serviceOf(trace)
          if (service === undefined) continue
          const policy = retention.policyOf(labelsOfTrace(service))
          if (policy >= 0) sums[policy] = (sums[policy] ?? 0) + bytes
        }
        if (page.length < tracesOfStep) return
      }
    })
}

/** Takes the steps of work on the file of a day; a file that cannot be used is reported and left out. */
function* onDay({ report, settled }: TracePurge, work: () => Generator<void> | void): Generator<void> {
  try {
    yield* work() ?? []
  } catch (error) {
    if (!(error instanceof FileFault)) throw error
    report(error)
  }
  settled()?.days.closeIdle()
}
