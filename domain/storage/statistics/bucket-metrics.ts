import type { Worker } from '../../ports/workers.ts'
import { gaugeSamples, resourceMetrics } from '../../resources/resource-metrics.ts'
import { bucketCollection } from '../buckets/buckets-store.ts'
import type { StorageEnvironment } from '../environment.ts'

/** Sends the sizes of buckets to observability, as metrics of their workspaces. */
export const bucketMetrics = (environment: StorageEnvironment): Worker =>
  resourceMetrics('storage.metrics', environment, async function* (time) {
    for await (const { value: bucket } of environment.store.each(bucketCollection)) {
      const { engine, id, name, usage, workspace_id: workspace } = bucket
      const values = {
        platform_storage_bucket_bytes: usage.bytes,
        platform_storage_bucket_objects: usage.object_count,
        platform_storage_bucket_versions: usage.version_count,
      }
      const labels = { resource_id: id, bucket_name: name, engine }
      yield { workspace, samples: gaugeSamples(values, { labels, time }) }
    }
  })
