import { beforeAll, expect, it } from 'vitest'
import { artifactCollection, manifestCollection } from '../../../domain/registry/artifacts/artifacts-store.ts'
import { eventCollection } from '../../../domain/registry/audit-events/events-store.ts'
import { linkCollection } from '../../../domain/registry/blobs/blobs-store.ts'
import { grantCollection } from '../../../domain/registry/grants/grants-store.ts'
import { protectedCollection } from '../../../domain/registry/locks/locks-store.ts'
import { policyCollection } from '../../../domain/registry/policies/policies-store.ts'
import { retentionCollection } from '../../../domain/registry/retention/retention-store.ts'
import { isEnded } from '../../../runtime/operations.ts'
import { areas } from '../../../server/areas.ts'
import { storeCollections } from '../../../server/platform-store.ts'
import { addTenant } from '../../areas/members.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { openBeside } from '../../server/store/left-place.ts'
import { registryMember } from './members.ts'
import { faultOf } from './oci-client.ts'
import { servedRegistry, type ServedRegistry } from './served-registry.ts'
import { afterTests } from '../../undo.ts'

let served: ServedRegistry

beforeAll(async () => {
  served = await servedRegistry(afterTests)
})

/** Creates a workspace with an image in a repository, and returns the calls on both. */
async function filled(name: string) {
  const { api, oci } = served
  const tenant = await addTenant(api, name)
  const { organisation, workspace } = tenant
  const at = { workspace, engine: 'native' }
  const { resource_id: repository } = await api.registry.createRepository({ ...at, body: { name: 'api' } })
  const digest = await oci.pushImage(`${name}/web/api`, 'v1', name)
  const of = { organisation, id: workspace, body: {} }
  return {
    ...tenant,
    at,
    repository,
    digest,
    manifest: `/v2/${name}/web/api/manifests/v1`,
    suspend: () => api.taxonomy.suspendWorkspace(of),
    archive: () => api.taxonomy.archiveWorkspace(of),
    restore: () => api.taxonomy.restoreWorkspace(of),
    remove: (force: boolean) => api.taxonomy.deleteWorkspace({ organisation, id: workspace, force }),
  }
}

const protectedError = (subject: string) => ({
  reason: 'WORKSPACE_PROTECTED',
  details: { precondition: expect.arrayContaining([expect.objectContaining({ subject })]) },
})

it('a workspace with repositories is not empty, an active lock protects it, and its purge deletes all rows', async () => {
  const { api } = served
  const { archive, at, remove, repository, restore, workspace } = await filled('purged')
  const friend = await addTenant(api, 'neighbour')
  const grant = { grantee_workspace_id: friend.workspace }
  await api.registry.createPullGrant({ ...at, body: grant })
  const back = { workspace: friend.workspace, engine: 'native' }
  await api.registry.createPullGrant({ ...back, body: { grantee_workspace_id: workspace } })
  const rules = [
    {
      effect: 'REGISTRY_POLICY_EFFECT_DENY' as const,
      principals: ['ALL_AUTHENTICATED'],
      actions: ['REGISTRY_ACTION_DELETE' as const],
    },
  ]
  await api.registry.createRepositoryAccessPolicy({ ...at, repository, body: { name: 'kept', rules } })
  const cleaning = {
    action: 'REGISTRY_RETENTION_ACTION_DELETE' as const,
    tag_state: 'REGISTRY_TAG_STATE_UNTAGGED' as const,
  }
  await api.registry.createRetentionPolicy({ ...at, body: { name: 'clean-up', rules: [cleaning] } })
  const lock = { workspace, repository, body: { reference: 'v1', reason: 'in use' } }
  const { resource_id: id } = await api.registry.createDeploymentLock(lock)
  await archive()
  await expect(remove(false)).rejects.toMatchObject({
    reason: 'WORKSPACE_NOT_EMPTY',
    details: {
      precondition: expect.arrayContaining(
        ['repositories', 'artifacts', 'accessPolicies', 'pullGrants', 'retentionPolicies'].map(plural =>
          expect.objectContaining({ type: `registry.${plural}` }),
        ),
      ),
    },
  })
  await expect(remove(true)).rejects.toMatchObject(protectedError(id))
  await restore()
  await api.registry.deleteDeploymentLock({ workspace, repository, id })
  await archive()
  const deleted = await remove(true)
  await expect.poll(async () => isEnded(await api.taxonomy.getOperation(deleted)), { timeout: 60_000 }).toBe(true)
  expect(await api.taxonomy.getOperation(deleted)).toMatchObject({ errors: [], warnings: [] })
  const store = await openBeside(served.place, storeCollections(areas))
  const ofWorkspace = { workspace_id: workspace }
  expect([
    await store.count(artifactCollection, ofWorkspace),
    await store.count(linkCollection, ofWorkspace),
    await store.count(policyCollection, ofWorkspace),
    await store.count(retentionCollection, ofWorkspace),
    await store.count(eventCollection, ofWorkspace),
    await store.count(grantCollection, { grantor_workspace_id: [workspace, friend.workspace] }),
    await store.count(protectedCollection, { repository_id: repository }),
    await store.get(manifestCollection, `${repository}/x`),
  ]).toEqual([0, 0, 0, 0, 0, 0, 0, undefined])
  await store.close()
  expect(await doctorFindings(served.place)).toEqual([])
})

it('a suspended workspace shows its repositories, and refuses changes, pushes and pulls, also by its grants', async () => {
  const { api, oci } = served
  const { at, manifest, repository, suspend, workspace } = await filled('stopped')
  const friends = await filled('helpers')
  const friend = await registryMember(served, 'helper', friends, ['registry.artifacts.pull'])
  await api.registry.createPullGrant({ ...at, body: { grantee_workspace_id: friends.workspace } })
  expect((await friend.oci.send(manifest)).status).toBe(200)
  await friends.suspend()
  friend.oci.forget()
  expect(faultOf(await friend.oci.send(manifest))).toBe('403 DENIED IAM_PERMISSION_DENIED')
  expect((await oci.send(manifest)).status).toBe(200)
  await suspend()
  const stopped = '403 DENIED WORKSPACE_NOT_ACTIVE'
  expect(faultOf(await oci.send(manifest))).toBe(stopped)
  expect(faultOf(await oci.send('/v2/stopped/web/api/blobs/uploads/', { method: 'POST' }))).toBe(stopped)
  expect(await api.registry.getRepository({ ...at, id: repository })).toMatchObject({ name: 'api' })
  const refused = { reason: 'WORKSPACE_NOT_ACTIVE', code: 5_000_004 }
  await expect(api.registry.createRepository({ ...at, body: { name: 'second' } })).rejects.toMatchObject(refused)
  await expect(api.registry.deleteRepository({ ...at, id: repository, force: true })).rejects.toMatchObject(refused)
  await expect(api.registry.getCredentials(at)).rejects.toMatchObject(refused)
  await expect(
    api.registry.createDeploymentLock({ workspace, repository, body: { reference: 'v1', reason: 'in use' } }),
  ).rejects.toMatchObject(refused)
})
