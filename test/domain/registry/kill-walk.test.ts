import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { RegistryClient } from '../../../output/registry/client.ts'
import { TaxonomyClient } from '../../../output/taxonomy/client.ts'
import { createTransport } from '../../../runtime/transport.ts'
import { killWalk } from '../../areas/kill/kill-walk.ts'
import { toldRestarts } from '../../areas/kill/restarts.ts'
import { sleepShortly } from '../../areas/kill/sleep-shortly.ts'
import { walkTimeout } from '../../areas/kill/tried-points.ts'
import { testToken } from '../../server/access/test-access.ts'
import { allMutations } from '../../order/operations.ts'
import { walkedAreas, walkedCalls } from './walked-areas.ts'
import { changeContent } from './walked-content.ts'
import { clusterEngine, servePeers, type WalkedPeers } from './walked-peers.ts'

const program = fileURLToPath(new URL('./walked-registry.ts', import.meta.url))

/** The kinds of work that fails in the story, so that its failure is told to its procedure. */
const failures = ['registry.deleteRepository', 'registry.scan']

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
async function tell(call: typeof fetch, round: number, peers: WalkedPeers): Promise<void> {
  const transport = createTransport({ baseUrl: '', token: testToken, fetch: call, timing: { sleep: sleepShortly } })
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
  const deleted = await registry.waitOperation(await registry.deleteRepository({ ...at, id: repository, force: true }))
  expect(deleted).toMatchObject({ status: 'REGISTRY_OPERATION_STATUS_DONE', errors: [] })
  const { resource_id: second } = await registry.createRepository({ ...at, body: { name: 'api' } })
  await registry.deleteRepository({ ...at, id: second })
  expect((await registry.listRepositories(at)).repositories).toEqual([])
  expect((await registry.listPullGrants({ workspace: friend, engine: 'native' })).pull_grants).toEqual([])
  await registry.deleteQuotaLimit({ workspace, id })
  await registry.getCredentials(at)
  await emptyCluster(registry, workspace, `acme-${round}/web`, peers)
  await changeContent(registry, call, peers.advisories, { workspace, path: `acme-${round}/web` })
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

/** Deletes a repository of a cluster, which refuses the deletion of its content at first. */
async function emptyCluster(registry: RegistryClient, workspace: string, path: string, { cluster }: WalkedPeers) {
  const at = { workspace, engine: clusterEngine }
  const { resource_id: id } = await registry.createRepository({ ...at, body: { name: 'far' } })
  cluster.repositories.add(`${path}/far`)
  cluster.refusesDeletions = true
  const remove = async () => {
    const begun = await registry.deleteRepository({ ...at, id, force: true })
    return registry.waitOperation(begun)
  }
  await expect(remove()).rejects.toMatchObject({ reason: 'ENGINE_CAPABILITY_UNSUPPORTED' })
  expect(await registry.getRepository({ ...at, id })).toMatchObject({ state: 'REGISTRY_REPOSITORY_STATE_ACTIVE' })
  cluster.refusesDeletions = false
  expect(await remove()).toMatchObject({ status: 'REGISTRY_OPERATION_STATUS_DONE' })
  expect([...cluster.repositories]).toEqual([])
}

it('the walk names every call of the API that changes the registry', async () => {
  const changes = (await allMutations()).filter(({ area }) => area === 'registry').map(({ operation }) => operation.id)
  expect(changes.filter(id => !walkedCalls.includes(id))).toEqual([])
})

it(
  'a server that is killed at any step of the work of the registry is made up for',
  { timeout: walkTimeout },
  async () => {
    const peers = await servePeers(onTestFinished)
    const { missed, points, restarts, tried } = await killWalk({
      program,
      areas: walkedAreas,
      walked: 'registry',
      tell: (call, round) => tell(call, round, peers),
      peers: peers.addresses,
    })
    console.log(`${tried.length} of ${points.length} points; ${toldRestarts(restarts)}; missed: ${missed.join(', ')}`)
    expect(points).toEqual(expect.arrayContaining(failures.map(kind => `${kind}: failure before`)))
    expect(missed.length).toBeLessThanOrEqual(tried.length / 4)
  },
)
