import { expect } from 'vitest'
import type { RegistryClient } from '../../../output/registry/client.ts'
import type { OciClient } from './oci-client.ts'
import { adapterName } from './walked-peers.ts'
import { chunked, pushed, pushedIndex } from './walked-pushes.ts'

/** A repository of a walk with the image `v1`, and its name under `/v2/`. */
export interface WalkedRepository {
  readonly workspace: string
  readonly repository: string
  readonly name: string
}

const [timeout, succeeded] = [{ timeout: 60_000 }, { state: 'REGISTRY_SCAN_STATE_SUCCEEDED' }]

/**
 * Scans an image by the built-in scanner, without advisories: the report has the packages alone, and a bill of materials.
 * Then an adapter scans the image, an index of images, and an image after its push, each by its policy.
 */
export async function scanned(registry: RegistryClient, client: OciClient, at: WalkedRepository): Promise<void> {
  const { name, repository, workspace } = at
  const policies = { workspace, engine: 'native' }
  const report = (reference: string) => registry.getScanReport({ workspace, repository, reference })
  const { resource_id: id } = await registry.createScanPolicy({ ...policies, body: { name: 'scans' } })
  const block_pull = { block_unscanned: true }
  await registry.updateScanPolicy({ ...policies, id, update_mask: 'block_pull', body: { block_pull } })
  const scan = (reference: string, scanner: string) =>
    registry.scanArtifact({ workspace, repository, reference, body: { scanner } })
  const begun = await scan('v1', 'native')
  const errors = async () => (await registry.getOperation({ id: begun.id })).errors
  await expect.poll(errors, timeout).toMatchObject([{ reason: 'VULNERABILITY_DATABASE_MISSING' }])
  expect(await report('v1')).toMatchObject({
    id: begun.resource_id,
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
  await registry.deleteScanPolicy({ ...policies, id })
}
