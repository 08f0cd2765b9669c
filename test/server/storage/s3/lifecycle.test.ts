import { beforeAll, describe, expect, it } from 'vitest'
import type { LifecycleRuleInput } from '../../../../output/storage/types.ts'
import { areas } from '../../../../server/areas.ts'
import { withFrequentWorker } from '../../../areas/kill/frequent-worker.ts'
import { afterTests } from '../../../undo.ts'
import { hasGateway, startGateway, type Gateway } from './gateway.ts'
import { put, remoteNameOf, remoteStorage, type BucketAt, type RemoteStorage } from './remote-storage.ts'

let gateway: Gateway
let remote: RemoteStorage
const api = () => remote.admin.api

beforeAll(async () => {
  if (!hasGateway) return
  gateway = await startGateway(afterTests)
  const mounted = areas.map(area =>
    area.domain.name === 'storage' ? withFrequentWorker(area, 'storage.lifecycle') : area,
  )
  remote = await remoteStorage(gateway.url, { later: afterTests, areas: mounted })
}, 120_000)

const settled = { timeout: 60_000, interval: 50 }

const rule = (
  action: 'ABORT_INCOMPLETE_MULTIPART_UPLOAD' | 'DELETE' | 'DELETE_NONCURRENT',
  condition: LifecycleRuleInput['condition'],
): LifecycleRuleInput => ({ id: action.toLowerCase(), action: `STORAGE_LIFECYCLE_ACTION_${action}`, condition })

const setRules = (at: BucketAt, ...lifecycle_rules: LifecycleRuleInput[]) =>
  api().storage.updateBucket({ ...at, id: at.bucket, update_mask: 'lifecycle_rules', body: { lifecycle_rules } })

/** Returns the names, sizes and kinds of all versions of a bucket. */
const versionsOf = async (at: BucketAt) =>
  (await api().storage.listObjects({ ...at, versions: true })).objects.map(({ is_delete_marker, name, size }) =>
    is_delete_marker ? `${name} marker` : `${name} ${size}`,
  )

/** Returns the states of the operations of the runs that have removed something from a bucket. */
async function runsOf({ bucket }: BucketAt): Promise<readonly string[]> {
  const filter = `resource_id = "${bucket}" AND operation_type = STORAGE_OPERATION_TYPE_UPDATE`
  const { operations } = await api().storage.listOperations({ filter })
  return operations.filter(({ trace_id }) => trace_id === '').map(({ status }) => status)
}

describe.skipIf(!hasGateway)('lifecycle rules of a bucket on an S3 store', { timeout: 120_000 }, () => {
  it('delete objects by age and prefix, and end uploads; a run has one operation', async () => {
    const at = await remote.bucket('plain')
    for (const name of ['tmp/a', 'tmp/b', 'kept']) await put(api(), at, name, 'hello')
    for (const object of ['tmp/film', 'film']) await api().storage.createMultipartUpload({ ...at, body: { object } })
    await setRules(
      at,
      { ...rule('DELETE', { age_days: 1 }), id: 'later' },
      rule('DELETE', { age_days: 0, prefix: 'tmp/' }),
      rule('ABORT_INCOMPLETE_MULTIPART_UPLOAD', { age_days: 0, prefix: 'tmp/' }),
    )
    await expect.poll(async () => (await runsOf(at)).length, settled).toBeGreaterThan(0)
    await expect.poll(() => versionsOf(at), settled).toEqual(['kept 5'])
    const uploads = async () =>
      (await api().storage.listMultipartUploads(at)).multipart_uploads.map(each => each.object)
    await expect.poll(uploads, settled).toEqual(['film'])
    const left: string[] = []
    for await (const { object } of gateway.account.uploads(remoteNameOf(at))) left.push(object)
    expect(left).toEqual(['film'])
    await put(api(), at, 'tmp/c', 'hello')
    await expect.poll(() => versionsOf(at), settled).toEqual(['kept 5'])
  })

  it('delete versions that are not the latest, above a number of newer ones', async () => {
    const at = await remote.bucket('versions', { versioning: 'STORAGE_VERSIONING_ENABLED' })
    for (const content of ['1', '22', '333', '4444']) await put(api(), at, 'a', content)
    await put(api(), at, 'b', 'hello')
    await setRules(at, rule('DELETE_NONCURRENT', { num_newer_versions: 2 }))
    await expect.poll(() => versionsOf(at), settled).toEqual(['a 4', 'a 3', 'b 5'])
    await setRules(at, rule('DELETE_NONCURRENT', { noncurrent_age_days: 1 }), rule('DELETE', { age_days: 1 }))
    await put(api(), at, 'b', 'hello!')
    expect(await versionsOf(at)).toEqual(['a 4', 'a 3', 'b 6', 'b 5'])
  })

  it('put markers on top of objects, and remove markers that hide nothing', async () => {
    const at = await remote.bucket('markers', { versioning: 'STORAGE_VERSIONING_ENABLED' })
    await put(api(), at, 'a', 'hello')
    await setRules(at, rule('DELETE', { age_days: 0 }))
    await expect.poll(() => versionsOf(at), settled).toEqual(['a marker', 'a 5'])
    await setRules(at, rule('DELETE', { age_days: 0 }), rule('DELETE_NONCURRENT', { noncurrent_age_days: 0 }))
    await expect.poll(() => versionsOf(at), settled).toEqual([])
  })
})
