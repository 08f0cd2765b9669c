import { expect } from 'vitest'
import type { RegistryClient } from '../../../output/registry/client.ts'
import type { OciClient } from './oci-client.ts'
import { dueAtOnce } from './schedules-ahead.ts'
import { debianLayer, type AdvisoryFolder } from './walked-advisories.ts'
import { adapterName } from './walked-peers.ts'
import { chunked, pushed, pushedIndex } from './walked-pushes.ts'

/** A repository of a walk with the image `v1`, and its name under `/v2/`. */
export interface WalkedRepository {
  readonly workspace: string
  readonly repository: string
  readonly name: string
}

const [timeout, succeeded] = [{ timeout: 180_000 }, { state: 'REGISTRY_SCAN_STATE_SUCCEEDED' }]

const layerType = 'application/vnd.oci.image.layer.v1.tar'

/** The report of an image of `debianLayer`, and of an index of it, without advisories. */
const unadvised = {
  state: 'REGISTRY_SCAN_STATE_FAILED',
  error: { reason: 'VULNERABILITY_DATABASE_MISSING' },
  package_count: 1,
}

/**
 * Scans an image by the built-in scanner, without advisories: the report has the packages alone, and a bill of materials.
 * Then an adapter scans the image, an index of images, and an image after its push, each by its policy. At last, the
 * built-in scanner scans further images by a schedule.
 */
export async function scanned(
  registry: RegistryClient,
  client: OciClient,
  advisories: AdvisoryFolder,
  at: WalkedRepository,
): Promise<void> {
  const { name, repository, workspace } = at
  const policies = { workspace, engine: 'native' }
  const report = (reference: string) => registry.getScanReport({ workspace, repository, reference })
  const { resource_id: id } = await registry.createScanPolicy({ ...policies, body: { name: 'scans' } })
  const block_pull = { block_unscanned: true }
  await registry.updateScanPolicy({ ...policies, id, update_mask: 'block_pull', body: { block_pull } })
  const scan = (reference: string, scanner: string) =>
    registry.scanArtifact({ workspace, repository, reference, body: { scanner } })
  // A server may not have seen yet that the advisories of the round before are gone.
  const scans = async () => {
    const { id: operation, resource_id } = await scan('v1', 'native')
    await registry.waitOperation(operation).catch(() => {})
    return { ...(await report('v1')), isOwn: (await report('v1')).id === resource_id }
  }
  await expect.poll(scans, timeout).toMatchObject({
    error: { reason: 'VULNERABILITY_DATABASE_MISSING' },
    isOwn: true,
    blocked: true,
    sbom: { format: 'CycloneDX 1.6' },
  })
  const again = await registry.waitOperation(await scan('v1', adapterName))
  expect(await report('v1')).toMatchObject({ ...succeeded, id: again.resource_id, blocked: false })
  await chunked(client, name, 'the layer of one')
  const image = await pushed(client, name, 'v3', ['the layer of one'])
  await pushedIndex(client, name, [image])
  await registry.waitOperation(await scan('all', adapterName))
  expect(await report('all')).toMatchObject({ ...succeeded, summary: { critical: 1, fixable: 1 } })
  const body = { trigger: 'REGISTRY_SCAN_TRIGGER_ON_PUSH', scanner: adapterName } as const
  await registry.updateScanPolicy({ ...policies, id, update_mask: 'trigger,scanner', body })
  await pushed(client, name, 'v4', ['the layer of both', 'the layer of one'])
  await expect.poll(() => report('v4'), timeout).toMatchObject(succeeded)
  // Otherwise the adapter would scan the image of the next step first.
  await registry.deleteScanPolicy({ ...policies, id })
  await advised(registry, client, advisories, at)
}

/** Lets the built-in scanner scan an image and its index by a schedule, and their reports follow new advisories. */
async function advised(
  registry: RegistryClient,
  client: OciClient,
  advisories: AdvisoryFolder,
  { name, repository, workspace }: WalkedRepository,
): Promise<void> {
  await chunked(client, name, debianLayer)
  const debian = await pushed(client, name, 'debian', [debianLayer], { layerType })
  await pushedIndex(client, name, [debian], 'debians')
  const trigger = 'REGISTRY_SCAN_TRIGGER_SCHEDULED'
  const policies = { workspace, engine: 'native' }
  const body = { name: 'nightly', trigger, schedule: dueAtOnce } as const
  const { resource_id: id } = await registry.createScanPolicy({ ...policies, body })
  const reports = async () => {
    const of = (reference: string) => registry.getScanReport({ workspace, repository, reference })
    return [await of('debian'), await of('debians')]
  }
  await expect.poll(reports, timeout).toMatchObject([unadvised, unadvised])
  await registry.deleteScanPolicy({ ...policies, id })
  for (const [i, advisory] of ['DSA-1', 'DSA-2'].entries()) {
    advisories.write(advisory)
    const report = { ...succeeded, package_count: 1, summary: { critical: i + 1, fixable: i + 1 } }
    await expect.poll(reports, timeout).toMatchObject([report, report])
  }
  advisories.clear()
}
