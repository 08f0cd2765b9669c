import { statSync } from 'node:fs'
import { join } from 'node:path'
import type {
  RetainedBytes,
  TelemetryRetention,
} from '../../../../domain/observability/retention/telemetry-retention.ts'
import { SeriesRetention } from '../retention/series-retention.ts'
import { dayMs, namesIn } from '../files/places.ts'
import { FileFault } from '../files/telemetry-file.ts'
import { labelsOfKey } from '../format/label-key.ts'
import { compactWhole } from './compaction.ts'
import type { MetricWriter } from './metric-writer.ts'
import type { WorkspaceWriter } from './workspace-writer.ts'

/**
 * Deletes the samples of the days that lie wholly before the retention of their series, and the series without newer
 * samples. Stores the retention, beyond which reads show nothing from now on.
 */
export function purgeWorkspace(
  metrics: MetricWriter,
  workspace: string,
  given: TelemetryRetention,
  now: number,
  report: (fault: FileFault) => void,
): RetainedBytes {
  const retention = new SeriesRetention(given)
  const writer = metrics.settled(workspace, now)
  if (writer === undefined) return { total: 0, selected: given.selected.map(() => 0) }
  writer.index.storeRetention(JSON.stringify(given))
  writer.storeTimes()
  const series = writer.index.newerThan(-Infinity).map(({ id, key, last }) => {
    const policy = given.selected.length === 0 ? -1 : retention.policyOf(labelsOfKey(key))
    return { id, last, policy, keptMs: retention.ofPolicy(policy) }
  })
  for (const day of metrics.placesOf(workspace).days()) {
    const ageMs = now - (day + 1) * dayMs
    try {
      if (ageMs > retention.longestMs) writer.days.remove(day)
      else if (ageMs > retention.shortestMs)
        purgeDay(
          writer,
          day,
          series.filter(({ keptMs }) => ageMs > keptMs).map(({ id }) => id),
        )
    } catch (error) {
      if (!(error instanceof FileFault)) throw error
      report(error)
    }
  }
  const ended = series.filter(({ keptMs, last }) => last < now - keptMs).map(({ id }) => id)
  if (ended.length > 0) writer.deleteSeries(ended)
  const policies = new Map(series.filter(({ policy }) => policy >= 0).map(({ id, policy }) => [id, policy]))
  const selected = given.selected.map(() => 0)
  if (policies.size > 0) addBytes(selected, writer, policies, report)
  return { total: bytesIn(metrics.placesOf(workspace).folder), selected }
}

/**
 * Adds the bytes of the chunks of series to the sums of their policies; `policies` has the number of each series.
 * Samples of the last minutes lie in no chunk.
 */
function addBytes(
  sums: number[],
  { days, places }: WorkspaceWriter,
  policies: ReadonlyMap<number, number>,
  report: (fault: FileFault) => void,
): void {
  for (const day of places.days()) {
    try {
      for (const [series, bytes] of days.open(day).bytesOfSeries()) {
        const policy = policies.get(series)
        if (policy !== undefined) sums[policy] = (sums[policy] ?? 0) + bytes
      }
    } catch (error) {
      if (!(error instanceof FileFault)) throw error
      report(error)
    }
    days.closeIdle(day)
  }
}

function purgeDay(writer: WorkspaceWriter, day: number, series: readonly number[]): void {
  const file = writer.days.open(day)
  compactWhole(file, () => writer.storeTimes())
  file.deleteSeries(series)
  if (file.isEmpty()) writer.days.remove(day)
  else file.shrink()
}

/** Returns the sizes of the files in a folder together. */
export function bytesIn(folder: string): number {
  let sum = 0
  for (const name of namesIn(folder)) sum += statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0
  return sum
}
