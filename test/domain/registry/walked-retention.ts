import { expect } from 'vitest'
import type { RegistryClient } from '../../../output/registry/client.ts'
import type { OciClient } from './oci-client.ts'
import { dueAtOnce } from './schedules-ahead.ts'
import { drop, enforce } from './retention/ruled-repository.ts'
import { pushed } from './walked-pushes.ts'
import type { WalkedRepository } from './walked-scans.ts'

/**
 * Lets a retention policy try out its rules, then change to ENFORCE, and run by its schedule: it deletes an image, takes a
 * tag away, and leaves an image with a deployment lock and the images that no rule matches.
 */
export async function retained(registry: RegistryClient, client: OciClient, place: WalkedRepository): Promise<void> {
  const { name, repository, workspace } = place
  const at = { workspace, engine: 'native' }
  const gone = await pushed(client, name, 'dev-gone', ['the layer of one'], { note: 'gone' })
  const locked = await pushed(client, name, 'dev-locked', ['the layer of one'], { note: 'locked' })
  const both = await pushed(client, name, 'dev-extra', ['the layer of one'], { note: 'extra' })
  expect(await pushed(client, name, 'v5', ['the layer of one'], { note: 'extra' })).toBe(both)
  const lock = { reference: 'dev-locked', reason: 'in use' }
  const { resource_id: held } = await registry.createDeploymentLock({ workspace, repository, body: lock })
  const rules = [drop('dev', { tag_patterns: ['dev-*'] })]
  const body = { name: 'clean-up', schedule: '0 0 1 1 *', repository_patterns: ['own'], rules }
  const made = await registry.waitOperation(await registry.createRetentionPolicy({ ...at, body }))
  const policy = { ...at, id: made.resource_id }
  const evaluation = async () => (await registry.getRetentionPolicy(policy)).last_evaluation
  expect(await evaluation()).toMatchObject({ mode: 'REGISTRY_RETENTION_MODE_DRY_RUN', locked: 1, deleted: 0 })
  const change = { update_mask: 'mode,schedule', body: { ...enforce, schedule: dueAtOnce } }
  await registry.waitOperation(await registry.updateRetentionPolicy({ ...policy, ...change }))
  // A run that follows the run of the deletions finds the locked image alone.
  await expect.poll(evaluation, { timeout: 60_000 }).toMatchObject({ ...enforce, locked: 1 })
  await registry.deleteRetentionPolicy(policy)
  const left = new Map<string, readonly string[]>()
  for await (const { digest, tags } of registry.iterateArtifacts({ workspace, repository }))
    left.set(
      digest,
      tags.map(tag => tag.name),
    )
  expect([left.has(gone), left.get(locked), left.get(both)]).toEqual([false, ['dev-locked'], ['v5']])
  await registry.deleteDeploymentLock({ workspace, repository, id: held })
}
