import { describe, expect, it, onTestFinished } from 'vitest'
import { platformWorkspaceId } from '../../../../domain/ports/reserved.ts'
import type { BucketUpdate } from '../../../../output/storage/types.ts'
import { registrySettings } from '../../../../server/registry/settings.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { absentId } from '../../../areas/members.ts'
import { signIn } from '../../../server/access/sign-in.ts'
import { shared } from '../../../shared.ts'
import { digestOf, faultOf, OciClient } from '../oci-client.ts'
import { newBlobBucket, servedInBucket, serveRegistry, type ServedRegistry } from '../served-registry.ts'

/** Pushes a blob by one call, and returns the outcome. */
async function pushed(oci: OciClient, text: string): Promise<string> {
  const path = `/v2/acme/web/api/blobs/uploads/?digest=${digestOf(text)}`
  const answer = await oci.send(path, { method: 'POST', body: text })
  return answer.status === 201 ? '201' : faultOf(answer)
}

/** Serves the place of a registry again with another bucket of blobs, and returns what a push and a start say. */
async function servedWith({ place }: ServedRegistry, bucket: string) {
  place.given?.with(registrySettings['registry.blob_store'], `bucket:${bucket}`)
  const { greeting, url } = await serveRegistry(place, onTestFinished)
  const oci = new OciClient(url, await signIn(url))
  return { greeting: greeting.join('\n'), outcome: await pushed(oci, 'a blob') }
}

describe('the bucket of the setting', () => {
  it('must exist in the workspace of the platform', async () => {
    const served = await servedInBucket(onTestFinished)
    await served.repository('api')
    const { api, workspace } = served
    const made = await api.storage.createBucket({ workspace, engine: 'native', body: { name: 'elsewhere' } })
    for (const id of [absentId, made.resource_id]) {
      const fault = 'does not exist in the workspace platform'
      expect(await servedWith(served, id)).toEqual({
        greeting: expect.stringContaining(`the bucket ${id} of registry.blob_store ${fault}`),
        outcome: '503',
      })
      expect((await doctorFindings(served.place)).join('\n')).toContain(
        `storage.buckets ${id}: is the blob store of the registry and ${fault}`,
      )
    }
  })

  it('cannot be deleted until the setting names another', async () => {
    const served = await servedInBucket(onTestFinished)
    const { storage } = served.api
    const at = { workspace: platformWorkspaceId, engine: 'native' }
    const [first] = (await storage.listBuckets(at)).buckets
    const deletion = () => storage.deleteBucket({ ...at, id: first?.id ?? '', force: true })
    await expect(deletion()).rejects.toMatchObject({ reason: 'BUCKET_IN_USE' })
    await servedWith(served, await newBlobBucket(served.api, { name: 'next' }))
    await expect(deletion()).resolves.toMatchObject({ resource_id: first?.id })
  })
})

describe('a bucket of blobs', () => {
  const registry = shared(async later => {
    const served = await servedInBucket(later)
    await served.repository('api')
    const at = { workspace: platformWorkspaceId, engine: 'native' }
    const id = (await served.api.storage.listBuckets(at)).buckets[0]?.id ?? ''
    /** Updates the members of a mask, of which the body leaves out those that the bucket shall not have. */
    const update = async (update_mask: string, body: BucketUpdate): Promise<void> =>
      void (await served.api.storage.updateBucket({ ...at, id, body, update_mask }))
    return { ...served, update }
  })

  const rule = (prefix: string): BucketUpdate => ({
    lifecycle_rules: [{ id: 'old', action: 'STORAGE_LIFECYCLE_ACTION_DELETE', condition: { age_days: 30, prefix } }],
  })
  const retention: BucketUpdate = { retention_policy: { retention_period: '3600s' } }
  const versions: BucketUpdate = { versioning: 'STORAGE_VERSIONING_ENABLED' }
  const tooLarge = '413 SIZE_INVALID OBJECT_TOO_LARGE'

  it.each([
    { name: 'without room', fault: { quota_bytes: 4 }, outcome: '503' },
    { name: 'of small objects', fault: { max_object_size_bytes: 4 }, outcome: tooLarge },
    { name: 'with a retention policy', fault: retention, outcome: '503', told: 'has a retention policy' },
    { name: 'with a rule for all objects', fault: rule(''), outcome: '201', told: 'has a lifecycle rule' },
    { name: 'with a rule for some blobs', fault: rule('blobs/sha'), outcome: '201', told: 'has a lifecycle rule' },
    { name: 'with a rule for other objects', fault: rule('logs/'), outcome: '201' },
    { name: 'with versions', fault: versions, repair: { versioning: 'STORAGE_VERSIONING_SUSPENDED' }, outcome: '201' },
  ] as const)('$name is told, and takes blobs again after its repair', async given => {
    const { fault, name, outcome } = given
    const { oci, place, update } = registry()
    const mask = Object.keys(fault).join(',')
    await update(mask, fault)
    expect(await pushed(oci, `a blob in a bucket ${name}`)).toBe(outcome)
    const { greeting } = await serveRegistry(place, onTestFinished)
    const notice = greeting.find(line => line.includes('registry.blob_store')) ?? ''
    const findings = await doctorFindings(place)
    for (const text of [notice, findings.join('\n')])
      if ('told' in given) expect(text).toContain(given.told)
      else expect(text).toBe('')
    await update(mask, 'repair' in given ? given.repair : {})
    expect(await pushed(oci, `a later blob in a bucket ${name}`)).toBe('201')
    expect(await doctorFindings(place)).toEqual([])
  })
})
