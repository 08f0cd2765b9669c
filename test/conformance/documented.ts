import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { conform } from '../../generator/conform/conform.ts'
import { printConformance } from '../../generator/conform/report.ts'
import type { Existing } from '../../generator/conform/subject.ts'
import type { Document } from '../../generator/model/types.ts'
import type { AreaModule } from '../../server/area.ts'
import { areas } from '../../server/areas.ts'
import { stubsIn } from '../../server/status/sources.ts'
import type { GivenSettings } from '../../server/settings/values.ts'
import { statusOf } from '../../server/status/status.ts'
import { makeExisting, type Arranged, type Bodies } from './existing.ts'
import { callTo } from './in-process.ts'
import { modelOf } from './model.ts'
import { watched } from './watched-sender.ts'
import { composePlatform, type ComposedPlatform } from './platform.ts'

/** A limit above the number of requests of any operation, so that no request is left out. */
const limit = 100_000

/**
 * The request with an unknown kind of scope in its path. Such a path does not exist, so the response reports no field.
 */
const otherWords = ['scope_type: a value the enum lacks']

/** The durations of an alert rule, each of which has bounds. */
const ruleDurations = ['evaluation_interval', 'for', 'keep_firing_for', 'group_interval', 'repeat_interval'].map(
  name => `${name}: 32 characters`,
)

/**
 * Requests that violate rules beyond schemas, keyed by operationId, with the area where two areas have it: members that
 * exclude each other or must occur together, and fixed words in paths.
 */
const beyondSchemas: Readonly<Record<string, readonly string[]>> = {
  listScopeAccess: otherWords,
  listPrincipalPermissions: otherWords,
  testPrincipalPermissions: otherWords,
  listMyPermissions: otherWords,
  testMyPermissions: otherWords,
  grantAccess: otherWords,
  revokeAccess: otherWords,
  // The source of a boot disk never changes, so the disk may be left out (docs/compute.md), and another source is
  // compared as a whole.
  updateVm: [
    'boot_disk: missing',
    'boot_disk.source_object.bucket_id: missing',
    'boot_disk.source_object.object: missing',
    'boot_disk.source_artifact.repository_id: missing',
    'boot_disk.source_artifact.reference: missing',
  ],
  // A request has a signature or a code, not both.
  verify: ['mac: 128 characters'],
  // The blob store of a test lies at one place.
  createRepository: ['multi_region: 63 characters'],
  // The holder of a lock never changes, so the holder may be left out.
  updateDeploymentLock: ['holder.type: missing', 'holder.id: missing'],
  // Native classes have no multi-region, and a bucket and an instance name a place that exists.
  createBucket: ['multi_region: 63 characters'],
  createStorageClass: ['multi_region: 63 characters'],
  updateStorageClass: ['multi_region: 63 characters'],
  instantiateStorageClass: ['location: 1 characters', 'location: 63 characters', 'resource_pool: 63 characters'],
  // Without its end, the range of the example ends now, and has more than 1000 intervals.
  getBucketMetricHistory: ['a valid request for an existing resource'],
  // An upload has an exact length or a largest length; FULL needs the filter of one upload, and a part was uploaded.
  createPresignedUploadUrl: ['max_content_length: 0', 'max_content_length: 9007199254740991'],
  listMultipartUploads: ['a valid request with view'],
  completeMultipartUpload: ['a valid request for an existing resource'],
  // A certificate comes from a signing request or from its members, not from both.
  createCertificate: ['pem_csr: 1 characters', 'pem_csr: 65536 characters'],
  refreshToken: ['assertion: 1 characters', 'assertion: 8192 characters'],
  revokeToken: ['token: 1 characters', 'token: 8192 characters'],
  // A duration of 32 characters is longer than any that these operations take.
  createAlertRule: ruleDurations,
  updateAlertRule: ruleDurations,
  queryMetrics: ['timeout: 32 characters'],
  searchTraces: ['min_duration: 32 characters', 'max_duration: 32 characters'],
  queryLogs: ['step: 32 characters'],
  // A cursor comes from an answer.
  tailLogs: ['wait: 32 characters', 'a valid request for an existing resource'],
  queryMetricsRange: ['step: 32 characters', 'timeout: 32 characters'],
  'observability.createRetentionPolicy': ['retention: 32 characters'],
  'observability.updateRetentionPolicy': ['retention: 32 characters'],
  setMyAvatar: ['update_mask: content_type', 'update_mask: data', 'update_mask: etag'],
}

/**
 * Declares a test for each operation of an area, which proves the operation by the examples of the document alone. For
 * an operation that is not built, valid requests must reach the response UNIMPLEMENTED; the earlier checks are proved
 * completely. `given` are settings of areas.
 */
export async function proveDocument(
  area: string,
  bodies: Bodies = {},
  arranged: Arranged = {},
  given?: GivenSettings,
): Promise<void> {
  const { common, document, schemas } = await modelOf(area)
  const left = leftOf(document)
  const { kinds } = areaOf(document)
  let platform: ComposedPlatform

  beforeAll(async () => void (platform = await composePlatform(given && { given })))

  afterAll(async () => platform.close())

  describe.each(document.operations)('$id', operation => {
    const { id, path } = operation
    test(`is served as specs/${area}.yaml declares`, async () => {
      const { authorization } = platform
      const dispatched = callTo(platform.dispatch)
      const making = { document, schemas, kinds, call: dispatched, authorization, bodies, arranged }
      const made = kinds.length > 0 && !left.has(id) ? await makeExisting(making, operation) : []
      for (const found of made.length === 0 ? [{}] : made) {
        const existing = { ...found, ...existingFor(path, document) }
        const options = { authorization, common, platform: true, limit, existing, operations: [id] }
        const { call, answered, faults } = watched(dispatched)
        const report = await conform(document, schemas, call, options)
        const refused = beyondSchemas[`${area}.${id}`] ?? beyondSchemas[id] ?? []
        const [expected, others] = parted(report.findings, ({ what }) => refused.includes(what))
        expect(printConformance({ ...report, findings: others })).toMatch(/^0 findings, 1 operation, \d+ requests$/)
        expect(expected.map(({ what }) => what)).toEqual(refused)
        expect([...faults]).toEqual([])
        // The first request is valid.
        expect(answered[0] === 501).toBe(left.has(id))
      }
    })
  })
}

function parted<T>(all: readonly T[], isOne: (each: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [all.filter(isOne), all.filter(each => !isOne(each))]
}

/** Returns the ids of the operations that `ninefold status` counts as left. */
function leftOf(document: Document): ReadonlySet<string> {
  const area = areaOf(document)
  const stubs = stubsIn(join(import.meta.dirname, '../../domain', document.name))
  return new Set(statusOf({ area, document, stubs }).resources.flatMap(resource => resource.left))
}

function areaOf(document: Document): AreaModule {
  const area = areas.find(({ domain }) => domain.name === document.name)
  if (area) return area
  throw new Error(`no area has the document ${document.name}`)
}

/**
 * Returns the path parameter of an existing filter schema for the path of filter schemas, which exist from the first
 * start; returns nothing for other paths.
 */
function existingFor(path: string, { operations }: Document): Existing {
  if (!path.endsWith('/filterSchemas/{resource}')) return {}
  const [resource = ''] = operations.flatMap(({ list }) => list?.resource ?? [])
  return { path: { resource } }
}
