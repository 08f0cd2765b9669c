import { expect } from 'vitest'
import { addTenant } from '../../../areas/members.ts'
import { digestOf } from '../oci-client.ts'
import {
  accepted,
  describeRaces,
  nextName,
  RacedRepository,
  racedRegistry,
  type RegistryRace,
  type RegistryRound,
} from './registry-rounds.ts'

const registry = racedRegistry()

/** Creates a workspace with two repositories of an image each. */
async function filled() {
  const { api, oci } = registry()
  const name = nextName()
  const { workspace } = await addTenant(api, name)
  const at = { workspace, engine: 'native' }
  const repositories: { readonly id: string; readonly path: string; readonly manifest: string }[] = []
  for (const own of ['one', 'two']) {
    const path = `${name}/web/${own}`
    const { resource_id: id } = await api.registry.createRepository({ ...at, body: { name: own } })
    const digest = await oci.pushImage(path, 'v1', own)
    repositories.push({ id, path, manifest: `/v2/${path}/manifests/${digest}` })
  }
  const stored = async () => (await states()).reduce((sum, { size_bytes }) => sum + size_bytes, 0)
  const states = async () => (await api.registry.listRepositories(at)).repositories
  const limit = (bytes: number) =>
    api.registry.createQuotaLimit({ workspace, body: { quota_definition_id: 'registry.storageBytes', limit: bytes } })
  /** Fails unless every repository has a state. */
  const allAre = async (state: 'ACTIVE' | 'READ_ONLY') =>
    expect(new Set((await states()).map(each => each.state))).toEqual(new Set([`REGISTRY_REPOSITORY_STATE_${state}`]))
  const manifests = repositories.map(
    ({ manifest }) =>
      () =>
        accepted(oci.send(manifest, { method: 'DELETE' })),
  )
  /** Creates a repository with a blob and no artifact; returns the deletion of the repository. */
  async function blobs(own: string) {
    const { resource_id: id } = await api.registry.createRepository({ ...at, body: { name: own } })
    const body = own.repeat(10)
    const target = `/v2/${name}/web/${own}/blobs/uploads/?digest=${digestOf(body)}`
    await accepted(oci.send(target, { method: 'POST', body }))
    return () => api.registry.deleteRepository({ ...at, id })
  }
  return { at, repositories, manifests, blobs, stored, limit, allAre }
}

type Filled = Awaited<ReturnType<typeof filled>>

/** Returns deletions in a workspace that is READ_ONLY, after which it is ACTIVE. None of them waits for a deadlock to end. */
async function endingReadOnly(
  prepare: (workspace: Filled) => Promise<readonly (() => Promise<unknown>)[]>,
): Promise<RegistryRound> {
  const workspace = await filled()
  const calls = await prepare(workspace)
  await workspace.allAre('READ_ONLY')
  const before = registry().retries()
  return {
    calls,
    async check() {
      await workspace.allAre('ACTIVE')
      // Calls that wait for the locks of each other would run again.
      expect(registry().retries() - before).toBe(0)
    },
  }
}

const races: readonly RegistryRace[] = [
  {
    name: 'two uploads for the last bytes of a workspace',
    async prepare() {
      const { limit, repositories, stored } = await filled()
      await limit((await stored()) + 10)
      const calls = repositories.map(({ path }, i) => () => {
        const body = `8 bytes${i}`
        const target = `/v2/${path}/blobs/uploads/?digest=${digestOf(body)}`
        return accepted(registry().oci.send(target, { method: 'POST', body }))
      })
      return { calls }
    },
    documented: ['OK, QUOTA_EXCEEDED', 'QUOTA_EXCEEDED, OK'],
  },
  {
    name: 'two deletions that together end READ_ONLY',
    prepare: () =>
      endingReadOnly(async ({ limit, manifests }) => {
        await limit(100)
        return manifests
      }),
    documented: ['OK, OK'],
  },
  {
    name: 'two deletions of which each ends READ_ONLY',
    prepare: () =>
      endingReadOnly(async ({ limit, manifests, stored }) => {
        await limit((await stored()) - 1)
        return manifests
      }),
    documented: ['OK, OK'],
  },
  {
    name: 'two deletions of repositories of which each ends READ_ONLY',
    prepare: () =>
      endingReadOnly(async ({ blobs, limit, stored }) => {
        const deletions = [await blobs('three'), await blobs('four')]
        await limit((await stored()) - 1)
        return deletions
      }),
    documented: ['OK, OK'],
  },
  {
    name: 'a creation of a repository and a limit below the usage',
    async prepare() {
      const { allAre, at, limit } = await filled()
      return {
        calls: [() => registry().api.registry.createRepository({ ...at, body: { name: 'late' } }), () => limit(100)],
        check: () => allAre('READ_ONLY'),
      }
    },
    documented: ['OK, OK'],
  },
  {
    name: 'a push and a limit below its usage',
    async prepare() {
      const { allAre, limit, repositories, stored } = await filled()
      const [{ path } = { path: '' }] = repositories
      const bytes = await stored()
      const image = await registry().oci.image(path, 'one', { annotations: { raced: 'yes' } })
      return {
        calls: [() => accepted(registry().oci.pushManifest(path, 'v2', image)), () => limit(bytes)],
        check: async () => allAre((await stored()) > bytes ? 'READ_ONLY' : 'ACTIVE'),
      }
    },
    documented: ['OK, OK', 'QUOTA_EXCEEDED, OK'],
  },
  {
    name: 'the deletion of a policy and a call that it denies',
    async prepare() {
      const { api, oci, workspace } = registry()
      const round = await RacedRepository.made(registry())
      const path = `/v2/${round.name}/manifests/${await round.push()}`
      const token = await oci.token(`repository:${round.name}:delete`)
      const at = { workspace, engine: 'native', repository: round.id }
      const rules = [
        {
          effect: 'REGISTRY_POLICY_EFFECT_DENY' as const,
          principals: ['ALL_AUTHENTICATED'],
          actions: ['REGISTRY_ACTION_DELETE' as const],
        },
      ]
      const { resource_id: id } = await api.registry.createRepositoryAccessPolicy({
        ...at,
        body: { name: 'kept', rules },
      })
      return {
        calls: [
          () => api.registry.deleteRepositoryAccessPolicy({ ...at, id }),
          () => accepted(oci.send(path, { method: 'DELETE', token })),
        ],
      }
    },
    documented: ['OK, OK', 'OK, IAM_PERMISSION_DENIED'],
  },
]

describeRaces(registry, races)
