import type { RetainedBytes, TelemetryRetention } from '../../../../domain/observability/telemetry-retention.ts'
import { dayMs } from '../files/places.ts'
import { FileFault } from '../files/telemetry-file.ts'
import { SeriesRetention } from '../retention/series-retention.ts'
import { bytesIn } from '../writing/purge-workspace.ts'
import type { WorkspaceTraces } from './workspace-traces.ts'

/** The labels by which policies select a trace: the service of its root span. */
export const labelsOfTrace = (service: string | null): { readonly service_name: string } => ({
  service_name: service ?? '',
})

/**
 * Deletes the traces that start before their retention, and the days that lie wholly before all retentions. Stores the
 * retention, beyond which reads show nothing from now on.
 */
export function purgeTraces(
  traces: WorkspaceTraces | undefined,
  given: TelemetryRetention,
  now: number,
  report: (fault: FileFault) => void,
): RetainedBytes {
  if (traces === undefined) return { total: 0, selected: given.selected.map(() => 0) }
  const retention = new SeriesRetention(given)
  const { days, index, places } = traces
  index.storeRetention(JSON.stringify(given))
  const services = index.services()
  const gone = services.flatMap(service =>
    index.deleteBefore(service, (now - retention.of(labelsOfTrace(service))) * 1000),
  )
  traces.forget()
  for (const day of places.days()) {
    try {
      if (now - (day + 1) * dayMs > retention.longestMs) days.remove(day)
      else
        removeTraces(
          traces,
          day,
          gone.filter(({ first, last }) => first <= day && day <= last),
        )
    } catch (error) {
      if (!(error instanceof FileFault)) throw error
      report(error)
    }
    days.closeIdle()
  }
  const policies = services.map(service => [retention.policyOf(labelsOfTrace(service)), service] as const)
  const selected = given.selected.map(() => 0)
  addBytes(selected, traces, policies, report)
  return { total: bytesIn(places.folder), selected }
}

function removeTraces({ days }: WorkspaceTraces, day: number, traces: readonly { readonly number: number }[]): void {
  if (traces.length === 0) return
  const file = days.open(day)
  file.removeTraces(traces.map(({ number }) => number))
  if (file.isEmpty()) days.remove(day)
}

/** Adds the bytes of the spans of traces to the sums of their policies; `services` has the policy of each service. */
function addBytes(
  sums: number[],
  { days, index, places }: WorkspaceTraces,
  services: readonly (readonly [policy: number, service: string | null])[],
  report: (fault: FileFault) => void,
): void {
  const policies = new Map(
    services.flatMap(([policy, service]) =>
      policy < 0 ? [] : index.numbersOf(service).map(number => [number, policy] as const),
    ),
  )
  if (policies.size === 0) return
  for (const day of places.days()) {
    try {
      for (const [trace, bytes] of days.open(day).bytesOfTraces()) {
        const policy = policies.get(trace)
        if (policy !== undefined) sums[policy] = (sums[policy] ?? 0) + bytes
      }
    } catch (error) {
      if (!(error instanceof FileFault)) throw error
      report(error)
    }
    days.closeIdle()
  }
}
