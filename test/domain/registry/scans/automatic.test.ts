import { describe, expect, it } from 'vitest'
import { scanPolicyCollection } from '../../../../domain/registry/scan-policies/scan-policies-store.ts'
import type { ScanPolicyInput } from '../../../../output/registry/types.ts'
import { areas } from '../../../../server/areas.ts'
import { storeCollections } from '../../../../server/platform-store.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { openBeside } from '../../../server/store/left-place.ts'
import { systemPrincipalId } from '../../../../domain/ports/reserved.ts'
import { ociImage, ociIndex } from '../oci-client.ts'
import { layerOf, summaryOf } from './fake-scanner.ts'
import { scannedRegistry } from './scanned-registry.ts'

const registry = scannedRegistry()

const at = () => ({ workspace: registry().workspace, engine: 'native' })
const timeout = { timeout: 60_000 }
const succeeded = { state: 'REGISTRY_SCAN_STATE_SUCCEEDED' }

const openssl = { id: 'DSA-1', package: 'openssl', severity: 'REGISTRY_SEVERITY_CRITICAL', fixed: '2' } as const

const policy = (name: string, body: Partial<ScanPolicyInput>) =>
  registry().api.registry.createScanPolicy({ ...at(), body: { name, repository_patterns: [name], ...body } })

const onPush = { trigger: 'REGISTRY_SCAN_TRIGGER_ON_PUSH' } as const

describe('an automatic scan', () => {
  it('follows the push of an image and of an index, by the policy that counts for the repository', async () => {
    const { api, oci, repository, report, scanner, workspace } = registry()
    scanner.load([openssl])
    await policy('pushed', onPush)
    const id = await repository('pushed')
    const other = await repository('quiet')
    const name = 'acme/web/pushed'
    const digest = await oci.pushImage(name, 'v1', layerOf('openssl@1'))
    await oci.pushImage('acme/web/quiet', 'v1', layerOf('openssl@1'))
    await expect.poll(() => report(id, 'v1'), timeout).toMatchObject(succeeded)
    const { bytes } = await oci.send(`/v2/${name}/manifests/${digest}`)
    const manifests = [{ mediaType: ociImage, digest, size: bytes.length }]
    await oci.pushManifest(name, 'all', { schemaVersion: 2, mediaType: ociIndex, manifests }, ociIndex)
    await expect.poll(() => report(id, 'all'), timeout).toMatchObject(succeeded)
    expect(await report(other, 'v1')).toMatchObject({ state: 'REGISTRY_SCAN_STATE_NOT_SCANNED' })
    const { audit_events } = await api.registry.listAuditEvents({
      workspace,
      filter: `action=REGISTRY_AUDIT_ACTION_SCAN AND digest="${digest}"`,
    })
    expect(audit_events).toMatchObject([{ principal_id: systemPrincipalId, repository_id: id }])
    const { operations } = await api.registry.listOperations({
      filter: `resource_type="registry.scans" AND principal_id="${systemPrincipalId}"`,
    })
    expect(operations.length).toBeGreaterThanOrEqual(2)
    expect(operations[0]).toMatchObject({ status: 'REGISTRY_OPERATION_STATUS_DONE', trace_id: '' })
  })

  it('follows the schedule of a policy', async () => {
    const { oci, place, repository, report, scanner } = registry()
    scanner.load([openssl])
    const id = await repository('nightly')
    await oci.pushImage('acme/web/nightly', 'v1', layerOf('openssl@1'))
    await oci.pushImage('acme/web/nightly', 'v2', layerOf('bash@1'))
    const schedule = '0 0 1 1 *'
    const made = await policy('nightly', { trigger: 'REGISTRY_SCAN_TRIGGER_SCHEDULED', schedule })
    expect(await report(id, 'v1')).toMatchObject({ state: 'REGISTRY_SCAN_STATE_NOT_SCANNED' })
    const store = await openBeside(place, storeCollections(areas))
    const row = await store.get(scanPolicyCollection, made.resource_id)
    if (!row) throw new Error('the policy has no row')
    const due = { ...row.value, next_scan_time: '2020-01-01T00:00:00.000Z' }
    await store.tx(tx => tx.update(scanPolicyCollection, row.id, due, row.version))
    for (const tag of ['v1', 'v2']) await expect.poll(() => report(id, tag), timeout).toMatchObject(succeeded)
    const after = await store.get(scanPolicyCollection, made.resource_id)
    expect(after?.value.next_scan_time).toBe(row.value.next_scan_time)
    expect(await doctorFindings(place)).toEqual([])
  })

  it('above the scans of a day waits, and a call is refused', async () => {
    const { api, oci, repository, report, scan, workspace } = registry()
    await policy('limited', onPush)
    const id = await repository('limited')
    await oci.pushImage('acme/web/limited', 'v1', layerOf('openssl@1'))
    await expect.poll(() => report(id, 'v1'), timeout).toMatchObject(succeeded)
    const body = { quota_definition_id: 'registry.scansPerDay', limit: 0 }
    const made = await api.registry.createQuotaLimit({ workspace, body })
    const limit = await api.registry.getQuotaLimit({ workspace, id: made.resource_id })
    expect(limit.usage).toBeGreaterThanOrEqual(1)
    await expect(scan(id, 'v1')).rejects.toMatchObject({
      reason: 'QUOTA_EXCEEDED',
      metadata: { quota: 'registry.scansPerDay', limit: '0', usage: String(limit.usage) },
    })
    await oci.pushImage('acme/web/limited', 'v2', layerOf('bash@1'))
    await expect.poll(() => report(id, 'v1'), timeout).toMatchObject(succeeded)
    expect(await report(id, 'v2')).toMatchObject({ state: 'REGISTRY_SCAN_STATE_NOT_SCANNED' })
    await api.registry.deleteQuotaLimit({ workspace, id: made.resource_id })
    await expect.poll(() => report(id, 'v2'), timeout).toMatchObject(succeeded)
  })
})

describe('the reports of the built-in scanner', () => {
  it('follow the advisories without another look at the layers, and so does what their policy blocks', async () => {
    const { oci, place, repository, report, scan, scanner } = registry()
    scanner.load([])
    const id = await repository('recomputed')
    const name = 'acme/web/recomputed'
    const digest = await oci.pushImage(name, 'v1', layerOf('openssl@1', 'zlib@1'))
    const { bytes } = await oci.send(`/v2/${name}/manifests/${digest}`)
    const manifests = [{ mediaType: ociImage, digest, size: bytes.length }]
    await oci.pushManifest(name, 'all', { schemaVersion: 2, mediaType: ociIndex, manifests }, ociIndex)
    const before = await scan(id, 'all')
    expect(before.summary).toEqual(summaryOf({}))
    await policy('recomputed', { block_pull: { min_severity: 'REGISTRY_SEVERITY_HIGH' } })
    expect((await oci.send(`/v2/${name}/manifests/all`)).status).toBe(200)
    const reads = scanner.reads
    scanner.load([openssl])
    const critical = { ...succeeded, summary: summaryOf({ critical: 1, fixable: 1 }), blocked: true }
    for (const reference of ['v1', 'all'])
      await expect.poll(() => report(id, reference), timeout).toMatchObject(critical)
    expect(await report(id, 'all')).toMatchObject({ id: before.id, end_time: before.end_time })
    expect((await oci.send(`/v2/${name}/manifests/all`)).status).toBe(403)
    scanner.load([])
    await expect.poll(() => report(id, 'all'), timeout).toMatchObject({ summary: summaryOf({}), blocked: false })
    expect(scanner.reads).toBe(reads)
    await expect.poll(() => doctorFindings(place), timeout).toEqual([])
  })

  it('of an index follow an image that is being scanned while the advisories change', async () => {
    const { api, oci, repository, report, scan, scanner, workspace } = registry()
    scanner.load([])
    const id = await repository('followed')
    const name = 'acme/web/followed'
    const digest = await oci.pushImage(name, 'v1', layerOf('openssl@1'))
    await oci.pushImage(name, 'other', layerOf('openssl@2'))
    const { bytes } = await oci.send(`/v2/${name}/manifests/${digest}`)
    const manifests = [{ mediaType: ociImage, digest, size: bytes.length }]
    await oci.pushManifest(name, 'all', { schemaVersion: 2, mediaType: ociIndex, manifests }, ociIndex)
    for (const reference of ['other', 'all'])
      expect(await scan(id, reference)).toMatchObject({ ...succeeded, summary: summaryOf({}) })
    const { promise, resolve } = Promise.withResolvers<void>()
    scanner.gate = promise
    const begun = await api.registry.scanArtifact({ workspace, repository: id, reference: 'v1', body: {} })
    scanner.load([openssl])
    const critical = { ...succeeded, summary: summaryOf({ critical: 1, fixable: 1 }) }
    // Reports of indexes are compared after those of all images.
    await expect.poll(() => report(id, 'other'), timeout).toMatchObject(critical)
    await new Promise(settle => setTimeout(settle, 1500))
    resolve()
    await api.registry.waitOperation(begun)
    await expect.poll(() => report(id, 'all'), timeout).toMatchObject(critical)
  })

  it('keep one bill of materials, which another replaces', async () => {
    const { oci, repository, scan, scanner } = registry()
    const id = await repository('billed')
    const name = 'acme/web/billed'
    await oci.pushImage(name, 'v1', layerOf('a@1'))
    const first = await scan(id, 'v1')
    scanner.more = ['b@1']
    const second = await scan(id, 'v1')
    scanner.more = []
    expect(second.sbom).toMatchObject({ component_count: 2 })
    expect(second.sbom?.digest).not.toBe(first.sbom?.digest)
    const status = async (digest = '') => (await oci.send(`/v2/${name}/manifests/${digest}`)).status
    await expect.poll(() => status(first.sbom?.digest), timeout).toBe(404)
    expect(await status(second.sbom?.digest)).toBe(200)
  })
})

describe('a scan in progress', () => {
  it('of an artifact that is deleted ends in error, and leaves nothing', async () => {
    const { api, oci, place, repository, scanner, workspace } = registry()
    const id = await repository('deleted')
    await oci.pushImage('acme/web/deleted', 'v1', layerOf('a@1'))
    const { promise, resolve } = Promise.withResolvers<void>()
    scanner.gate = promise
    const begun = await api.registry.scanArtifact({ workspace, repository: id, reference: 'v1', body: {} })
    await api.registry.deleteArtifact({ workspace, repository: id, reference: 'v1' })
    resolve()
    const status = async () => (await api.registry.getOperation({ id: begun.id })).status
    await expect.poll(status, timeout).toBe('REGISTRY_OPERATION_STATUS_ERROR')
    const { errors } = await api.registry.getOperation({ id: begun.id })
    expect(errors).toMatchObject([{ reason: 'ARTIFACT_NOT_FOUND' }])
    await expect.poll(() => doctorFindings(place), timeout).toEqual([])
    await api.registry.waitOperation(await api.registry.deleteRepository({ ...at(), id, force: true }))
    expect(await doctorFindings(place)).toEqual([])
  })

  it('ends when its workspace is suspended; what waits then goes on later', async () => {
    const { api, oci, organisation, repository, report, scanner, workspace } = registry()
    const id = await repository('suspended')
    await policy('suspended', onPush)
    const { promise, resolve } = Promise.withResolvers<void>()
    scanner.gate = promise
    await oci.pushImage('acme/web/suspended', 'v1', layerOf('a@1'))
    const state = async () => (await report(id, 'v1')).state
    await expect.poll(state, timeout).toBe('REGISTRY_SCAN_STATE_RUNNING')
    await api.taxonomy.waitOperation(await api.taxonomy.suspendWorkspace({ organisation, id: workspace, body: {} }))
    await expect
      .poll(() => report(id, 'v1'), timeout)
      .toMatchObject({
        state: 'REGISTRY_SCAN_STATE_FAILED',
        error: { reason: 'OPERATION_CANCELLED' },
      })
    resolve()
    const call = { workspace, repository: id, reference: 'v1', body: {} }
    await expect(api.registry.scanArtifact(call)).rejects.toMatchObject({ reason: 'WORKSPACE_NOT_ACTIVE' })
    await api.taxonomy.waitOperation(await api.taxonomy.resumeWorkspace({ organisation, id: workspace, body: {} }))
    await oci.pushImage('acme/web/suspended', 'v2', layerOf('b@1'))
    await expect.poll(() => report(id, 'v2'), timeout).toMatchObject(succeeded)
  })
})

it('an access policy that denies SCAN binds the call', async () => {
  const { api, oci, repository, workspace } = registry()
  const id = await repository('forbidden')
  await oci.pushImage('acme/web/forbidden', 'v1', layerOf('a@1'))
  const rules = [
    {
      effect: 'REGISTRY_POLICY_EFFECT_DENY' as const,
      principals: ['ALL_AUTHENTICATED'],
      actions: ['REGISTRY_ACTION_SCAN' as const],
    },
  ]
  await api.registry.createRepositoryAccessPolicy({ ...at(), repository: id, body: { name: 'no-scans', rules } })
  await expect(
    api.registry.scanArtifact({ workspace, repository: id, reference: 'v1', body: {} }),
  ).rejects.toMatchObject({ reason: 'IAM_PERMISSION_DENIED', metadata: { permission: 'registry.scans.create' } })
})
