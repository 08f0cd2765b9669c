import type { Clock } from '../ports/clock.ts'
import type { Functions } from '../ports/functions.ts'
import type { MetricSample, Observability } from '../ports/observability.ts'
import type { Turn, Worker } from '../ports/workers.ts'

/** The number of samples that are collected before they are sent, so that memory stays bounded. */
const batchSize = 2000

/** The time between two samples of a metric of a resource, in milliseconds. */
const intervalMs = 60_000

/** Samples about a resource of a workspace. */
export interface ResourceSamples {
  readonly workspace: string
  readonly samples: readonly MetricSample[]
}

/** Sends the samples of many resources to observability, in batches for each workspace. */
export async function sendSamples(
  observability: Observability,
  resources: AsyncIterable<ResourceSamples>,
  { signal }: Pick<Turn, 'signal'>,
): Promise<void> {
  let batch = new Map<string, MetricSample[]>()
  let size = 0
  const send = async (): Promise<void> => {
    for (const [workspace, metrics] of batch) await observability.ingest(workspace, { metrics })
    batch = new Map()
    size = 0
  }
  for await (const { samples, workspace } of resources) {
    if (signal.aborted) return
    const collected = batch.get(workspace)
    if (collected) collected.push(...samples)
    else batch.set(workspace, [...samples])
    size += samples.length
    if (size >= batchSize) await send()
  }
  await send()
}

/** The parts that send the metrics of resources. */
interface MetricParts {
  readonly clock: Pick<Clock, 'now'>
  readonly functions: Functions<never, 'observability'>
}

/**
 * Returns the worker that sends the metrics of an area's resources to observability each minute (observability.md 4.11);
 * it does nothing while no area provides `ingest`. `samplesAt` reads the samples for a time in milliseconds since 1970.
 */
export const resourceMetrics = (
  name: string,
  { clock, functions }: MetricParts,
  samplesAt: (now: number) => AsyncIterable<ResourceSamples>,
): Worker => ({
  name,
  everyMs: intervalMs,
  async run(turn) {
    const { observability } = functions
    if (observability) await sendSamples(observability, samplesAt(clock.now()), turn)
  },
})

/** Returns samples of gauges of one resource, from their values by name. */
export const gaugeSamples = (
  values: Readonly<Record<MetricSample['name'], number>>,
  { labels, time }: Pick<MetricSample, 'labels' | 'time'>,
): readonly MetricSample[] =>
  Object.entries(values).map(([name, value]) => ({
    // The keys of the values are names of metrics.
    name: name as MetricSample['name'],
    type: 'GAUGE',
    labels,
    time,
    value,
  }))
