import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { RegistryClient } from '../../../output/registry/client.ts'
import { TaxonomyClient } from '../../../output/taxonomy/client.ts'
import { createTransport } from '../../../runtime/transport.ts'
import { killWalk, walkTimeout } from '../../areas/kill/kill-walk.ts'
import { toldRestarts } from '../../areas/kill/restarts.ts'
import { testToken } from '../../server/access/test-access.ts'
import { walkedAreas } from './walked-areas.ts'
import { changeContent } from './walked-content.ts'

const program = fileURLToPath(new URL('./walked-registry.ts', import.meta.url))

const rules = [
  {
    effect: 'REGISTRY_POLICY_EFFECT_DENY' as const,
    principals: ['ALL_AUTHENTICATED'],
    actions: ['REGISTRY_ACTION_DELETE' as const],
  },
]

/**
 * Makes repositories with policies and a grant, limits their bytes, and deletes them, one by durable work. Then changes the
 * content of further repositories.
 */
async function tell(call: typeof fetch, round: number): Promise<void> {
  const transport = createTransport({ baseUrl: '', token: testToken, fetch: call })
  const [taxonomy, registry] = [new TaxonomyClient(transport), new RegistryClient(transport)]
  const { resource_id: organisation } = await taxonomy.createOrganisation({ body: { name: `acme-${round}` } })
  const { resource_id: workspace } = await taxonomy.createWorkspace({ organisation, body: { name: 'web' } })
  const { resource_id: friend } = await taxonomy.createWorkspace({ organisation, body: { name: 'friend' } })
  const at = { workspace, engine: 'native' }
  const { resource_id: repository } = await registry.createRepository({ ...at, body: { name: 'api' } })
  await registry.createRepositoryAccessPolicy({ ...at, repository, body: { name: 'kept', rules } })
  await changePolicies(registry, at, repository)
  const body = { grantee_workspace_id: friend, repository_id: repository }
  const { resource_id: grant } = await registry.createPullGrant({ ...at, body })
  await registry.deletePullGrant({ ...at, id: grant })
  await registry.createPullGrant({ ...at, body })
  const limit = { quota_definition_id: 'registry.storageBytes', limit: 5 }
  const { resource_id: id } = await registry.createQuotaLimit({ workspace, body: limit })
  await registry.updateQuotaLimit({ workspace, id, update_mask: 'limit', body: { limit: 0 } })
  expect(await registry.getRepository({ ...at, id: repository })).toMatchObject({
    state: 'REGISTRY_REPOSITORY_STATE_ACTIVE',
    size_bytes: 0,
  })
  await registry.updateRepository({ ...at, id: repository, update_mask: 'labels', body: { labels: { a: 'b' } } })
  await retain(registry, at)
  const deleted = await registry.waitOperation(await registry.deleteRepository({ ...at, id: repository, force: true }))
  expect(deleted).toMatchObject({ status: 'REGISTRY_OPERATION_STATUS_DONE', errors: [] })
  const { resource_id: second } = await registry.createRepository({ ...at, body: { name: 'api' } })
  await registry.deleteRepository({ ...at, id: second })
  expect((await registry.listRepositories(at)).repositories).toEqual([])
  expect((await registry.listPullGrants({ workspace: friend, engine: 'native' })).pull_grants).toEqual([])
  await registry.deleteQuotaLimit({ workspace, id })
  await changeContent(registry, call, { workspace, path: `acme-${round}/web` })
}

/** Creates, changes and deletes an access policy of a workspace and one of a repository. */
async function changePolicies(
  registry: RegistryClient,
  at: { readonly workspace: string; readonly engine: string },
  repository: string,
): Promise<void> {
  const body = { name: 'short', rules }
  const change = { update_mask: 'enabled', body: { enabled: false } }
  const { resource_id: whole } = await registry.createAccessPolicy({ ...at, body })
  await registry.updateAccessPolicy({ ...at, id: whole, ...change })
  await registry.deleteAccessPolicy({ ...at, id: whole })
  const { resource_id: id } = await registry.createRepositoryAccessPolicy({ ...at, repository, body })
  await registry.updateRepositoryAccessPolicy({ ...at, repository, id, ...change })
  await registry.deleteRepositoryAccessPolicy({ ...at, repository, id })
}

/** Creates, changes and deletes a retention policy, and waits for its trials. */
async function retain(registry: RegistryClient, at: { readonly workspace: string; readonly engine: string }) {
  const cleaning = {
    action: 'REGISTRY_RETENTION_ACTION_DELETE' as const,
    tag_state: 'REGISTRY_TAG_STATE_UNTAGGED' as const,
  }
  const body = { name: 'clean-up', schedule: '0 0 1 1 *', rules: [cleaning] }
  const made = await registry.waitOperation(await registry.createRetentionPolicy({ ...at, body }))
  const policy = { ...at, id: made.resource_id }
  const change = { update_mask: 'mode', body: { mode: 'REGISTRY_RETENTION_MODE_ENFORCE' as const } }
  await registry.waitOperation(await registry.updateRetentionPolicy({ ...policy, ...change }))
  expect(await registry.getRetentionPolicy(policy)).toMatchObject({
    mode: 'REGISTRY_RETENTION_MODE_ENFORCE',
    last_evaluation: { mode: 'REGISTRY_RETENTION_MODE_DRY_RUN', deleted: 0 },
  })
  await registry.deleteRetentionPolicy(policy)
}

it(
  'a server that is killed at any step of the work of the registry is made up for',
  { timeout: walkTimeout },
  async () => {
    const { missed, points, restarts, tried } = await killWalk({
      program,
      areas: walkedAreas,
      walked: 'registry',
      tell,
    })
    console.log(`${tried.length} of ${points.length} points; ${toldRestarts(restarts)}`)
    expect(missed.length).toBeLessThanOrEqual(tried.length / 4)
  },
)
