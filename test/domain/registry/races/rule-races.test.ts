import { beforeAll } from 'vitest'
import { addTenant } from '../../../areas/members.ts'
import {
  accepted,
  describeRaces,
  nextName,
  RacedRepository,
  racedRegistry,
  type RegistryRace,
} from './registry-rounds.ts'

const registry = racedRegistry()
let other: string

beforeAll(async () => {
  other = (await addTenant(registry().api, 'neighbour')).workspace
})

const rules = [
  {
    effect: 'REGISTRY_POLICY_EFFECT_ALLOW' as const,
    principals: ['ALL_AUTHENTICATED'],
    actions: ['REGISTRY_ACTION_PULL' as const],
  },
]

const races: readonly RegistryRace[] = [
  {
    name: 'two creations of a repository',
    async prepare() {
      const name = nextName()
      return { calls: [() => registry().repository(name), () => registry().repository(name)] }
    },
    documented: ['OK, REPOSITORY_ALREADY_EXISTS', 'REPOSITORY_ALREADY_EXISTS, OK'],
  },
  {
    name: 'two deletions of a repository',
    async prepare() {
      const round = await RacedRepository.made(registry())
      return { calls: [() => round.delete(), () => round.delete()] }
    },
    documented: ['OK, REPOSITORY_NOT_FOUND', 'REPOSITORY_NOT_FOUND, OK'],
  },
  {
    name: 'a deployment lock and the deletion of its artifact',
    async prepare() {
      const round = await RacedRepository.made(registry())
      const digest = await round.push()
      const target = `/v2/${round.name}/manifests/${digest}`
      return { calls: [() => round.lock(), () => accepted(registry().oci.send(target, { method: 'DELETE' }))] }
    },
    documented: ['OK, ARTIFACT_LOCKED', 'ARTIFACT_NOT_FOUND, OK'],
  },
  {
    name: 'a deployment lock and the forced deletion of its repository',
    async prepare() {
      const round = await RacedRepository.made(registry())
      await round.push()
      return { calls: [() => round.lock(), () => round.delete(true)] }
    },
    documented: ['OK, ARTIFACT_LOCKED', 'REPOSITORY_DELETING, OK', 'REPOSITORY_NOT_FOUND, OK'],
  },
  {
    name: 'the move of a tag and a deployment lock that protects the tag',
    async prepare() {
      const round = await RacedRepository.made(registry())
      await round.push()
      const moved = await registry().oci.image(round.name, 'two')
      return { calls: [() => accepted(registry().oci.pushManifest(round.name, 'v1', moved)), () => round.lock(true)] }
    },
    documented: ['OK, OK', 'ARTIFACT_LOCKED, OK'],
  },
  {
    name: 'two pushes for the last room of a repository',
    async prepare() {
      const round = await RacedRepository.made(registry())
      const { oci, workspace } = registry()
      const dimensions = { repository_id: round.id }
      const body = { quota_definition_id: 'registry.artifacts', dimensions, limit: 1 }
      await registry().api.registry.createQuotaLimit({ workspace, body })
      const [one, two] = [await oci.image(round.name, 'one'), await oci.image(round.name, 'two')]
      return {
        calls: [
          () => accepted(oci.pushManifest(round.name, 'v1', one)),
          () => accepted(oci.pushManifest(round.name, 'v2', two)),
        ],
      }
    },
    documented: ['OK, QUOTA_EXCEEDED', 'QUOTA_EXCEEDED, OK'],
  },
  {
    name: 'two equal pull grants',
    async prepare() {
      const round = await RacedRepository.made(registry())
      const body = { grantee_workspace_id: other, repository_id: round.id }
      const grant = () =>
        registry().api.registry.createPullGrant({ workspace: registry().workspace, engine: 'native', body })
      return { calls: [grant, grant] }
    },
    documented: ['OK, PULL_GRANT_ALREADY_EXISTS', 'PULL_GRANT_ALREADY_EXISTS, OK'],
  },
  {
    name: 'an access policy and the deletion of its repository',
    async prepare() {
      const round = await RacedRepository.made(registry())
      const at = { workspace: registry().workspace, engine: 'native', repository: round.id }
      const body = { name: 'one', rules }
      return {
        calls: [() => registry().api.registry.createRepositoryAccessPolicy({ ...at, body }), () => round.delete()],
      }
    },
    documented: ['OK, OK', 'REPOSITORY_NOT_FOUND, OK'],
  },
]

describeRaces(registry, races)
