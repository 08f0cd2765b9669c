import type { BucketUsage, StatDescriptor } from '../../../output/storage/types.ts'

/** The time for which points are kept, in milliseconds: 30 days. */
export const retentionMs = 30 * 86_400_000

const retention = `${retentionMs / 1000}s`

/** The statistics of the state of a bucket. */
export const gaugeNames = [
  'bucket_count',
  'object_count',
  'version_count',
  'bytes_stored',
  'bytes_noncurrent',
  'multipart_bytes',
] as const

/** The statistics of the traffic of a bucket, which only the native engine sees. */
export const deltaNames = [
  'requests_read',
  'requests_write',
  'bytes_ingress',
  'bytes_egress',
  'errors_client',
  'errors_server',
] as const

export type GaugeName = (typeof gaugeNames)[number]
export type DeltaName = (typeof deltaNames)[number]
export type StatName = GaugeName | DeltaName

type Words = readonly [displayName: string, description: string, unit: 'By' | '1']

const gauges: Readonly<Record<GaugeName, Words>> = {
  bucket_count: ['Buckets', 'The number of buckets.', '1'],
  object_count: ['Objects', 'The number of objects whose latest version is no delete marker.', '1'],
  version_count: ['Versions', 'The number of versions without delete markers.', '1'],
  bytes_stored: ['Stored bytes', 'The bytes of all versions; a copy counts in full.', 'By'],
  bytes_noncurrent: ['Noncurrent bytes', 'The bytes of the versions that are not the latest.', 'By'],
  multipart_bytes: ['Uploaded parts', 'The bytes of the parts of active multipart uploads.', 'By'],
}

const native = 'Only the native engine has this statistic: traffic of S3 stores does not pass here.'

const deltas: Readonly<Record<DeltaName, Words>> = {
  requests_read: ['Reads', `The number of requests for content. ${native}`, '1'],
  requests_write: ['Writes', `The number of uploads of content. ${native}`, '1'],
  bytes_ingress: ['Received bytes', `The bytes of content that clients have sent. ${native}`, 'By'],
  bytes_egress: ['Sent bytes', `The bytes of content that clients have received. ${native}`, 'By'],
  errors_client: ['Refused requests', `The number of requests that were answered with a status of 4xx. ${native}`, '1'],
  errors_server: ['Failed requests', `The number of requests that were answered with a status of 5xx. ${native}`, '1'],
}

const descriptorOf = (
  name: StatName,
  [display_name, description, unit]: Words,
  rest: Pick<StatDescriptor, 'kind' | 'default_aggregation' | 'engines'>,
): StatDescriptor => ({ name, display_name, description, unit, retention, ...rest })

/** The descriptors of all statistics. */
export const descriptors: readonly StatDescriptor[] = [
  ...gaugeNames.map(name =>
    descriptorOf(name, gauges[name], {
      kind: 'STORAGE_STAT_KIND_GAUGE',
      default_aggregation: 'STORAGE_STAT_AGGREGATION_LAST',
      engines: ['native', 's3'],
    }),
  ),
  ...deltaNames.map(name =>
    descriptorOf(name, deltas[name], {
      kind: 'STORAGE_STAT_KIND_DELTA',
      default_aggregation: 'STORAGE_STAT_AGGREGATION_SUM',
      engines: ['native'],
    }),
  ),
]

/** Returns the values of the gauges of a bucket with this usage. */
export const gaugesOf = (usage: BucketUsage): Readonly<Record<GaugeName, number>> => ({
  bucket_count: 1,
  object_count: usage.object_count,
  version_count: usage.version_count,
  bytes_stored: usage.bytes,
  bytes_noncurrent: usage.noncurrent_bytes,
  multipart_bytes: usage.incomplete_upload_bytes,
})
