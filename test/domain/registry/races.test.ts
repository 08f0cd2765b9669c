import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ApiError } from '../../../runtime/errors.ts'
import { addTenant } from '../../areas/members.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { race, raceRounds, toldOutcomes, type Racers } from '../../areas/race.ts'
import { faultOf, type OciAnswer } from './oci-client.ts'
import { servedRegistry, type ServedRegistry } from './served-registry.ts'

const isLong = process.env['NINEFOLD_RACE_LAPS'] !== undefined
const rounds = isLong ? raceRounds : Math.min(10, raceRounds)

let served: ServedRegistry
let other: string

beforeAll(async () => {
  served = await servedRegistry(afterAll)
  other = (await addTenant(served.api, 'neighbour')).workspace
  const body = { quota_definition_id: 'registry.repositories', limit: -1 }
  await served.api.registry.createQuotaLimit({ workspace: served.workspace, body })
})

/** Returns the answer of the data plane, or throws its refusal as an error of its reason. */
async function accepted(call: Promise<OciAnswer>): Promise<OciAnswer> {
  const answer = await call
  if (answer.status < 400) return answer
  const reason = faultOf(answer).split(' ').at(-1) ?? ''
  throw new ApiError({ reason, rpc: 'UNKNOWN' }, reason)
}

let count = 0
const nextName = (): string => `made-${(count += 1)}`

/** A repository of one round. */
class Round {
  readonly own = nextName()
  readonly name = `acme/web/${this.own}`
  #id = ''

  get id(): string {
    return this.#id
  }

  async begun(): Promise<this> {
    this.#id = await served.repository(this.own)
    return this
  }

  /** Pushes an image of the tag `v1`; returns the digest. */
  push(): Promise<string> {
    return served.oci.pushImage(this.name, 'v1', 'one')
  }

  delete(force = false) {
    return served.api.registry.deleteRepository({ workspace: served.workspace, engine: 'native', id: this.id, force })
  }

  lock(protect_tags = false) {
    const body = { reference: 'v1', reason: 'raced', protect_tags }
    return served.api.registry.createDeploymentLock({ workspace: served.workspace, repository: this.id, body })
  }
}

const rules = [
  {
    effect: 'REGISTRY_POLICY_EFFECT_ALLOW' as const,
    principals: ['ALL_AUTHENTICATED'],
    actions: ['REGISTRY_ACTION_PULL' as const],
  },
]

interface Race {
  readonly name: string
  readonly prepare: () => Promise<Racers>
  readonly documented: readonly string[]
}

const races: readonly Race[] = [
  {
    name: 'two creations of a repository',
    async prepare() {
      const name = nextName()
      return [() => served.repository(name), () => served.repository(name)]
    },
    documented: ['OK, REPOSITORY_ALREADY_EXISTS', 'REPOSITORY_ALREADY_EXISTS, OK'],
  },
  {
    name: 'two deletions of a repository',
    async prepare() {
      const round = await new Round().begun()
      return [() => round.delete(), () => round.delete()]
    },
    documented: ['OK, REPOSITORY_NOT_FOUND', 'REPOSITORY_NOT_FOUND, OK'],
  },
  {
    name: 'a deployment lock and the deletion of its artifact',
    async prepare() {
      const round = await new Round().begun()
      const digest = await round.push()
      const target = `/v2/${round.name}/manifests/${digest}`
      return [() => round.lock(), () => accepted(served.oci.send(target, { method: 'DELETE' }))]
    },
    documented: ['OK, ARTIFACT_LOCKED', 'ARTIFACT_NOT_FOUND, OK'],
  },
  {
    name: 'a deployment lock and the forced deletion of its repository',
    async prepare() {
      const round = await new Round().begun()
      await round.push()
      return [() => round.lock(), () => round.delete(true)]
    },
    documented: ['OK, ARTIFACT_LOCKED', 'REPOSITORY_DELETING, OK', 'REPOSITORY_NOT_FOUND, OK'],
  },
  {
    name: 'the move of a tag and a deployment lock that protects the tag',
    async prepare() {
      const round = await new Round().begun()
      await round.push()
      const moved = await served.oci.image(round.name, 'two')
      return [() => accepted(served.oci.pushManifest(round.name, 'v1', moved)), () => round.lock(true)]
    },
    documented: ['OK, OK', 'ARTIFACT_LOCKED, OK'],
  },
  {
    name: 'two pushes for the last room of a repository',
    async prepare() {
      const round = await new Round().begun()
      const { oci, workspace } = served
      const dimensions = { repository_id: round.id }
      const body = { quota_definition_id: 'registry.artifacts', dimensions, limit: 1 }
      await served.api.registry.createQuotaLimit({ workspace, body })
      const [one, two] = [await oci.image(round.name, 'one'), await oci.image(round.name, 'two')]
      return [
        () => accepted(oci.pushManifest(round.name, 'v1', one)),
        () => accepted(oci.pushManifest(round.name, 'v2', two)),
      ]
    },
    documented: ['OK, QUOTA_EXCEEDED', 'QUOTA_EXCEEDED, OK'],
  },
  {
    name: 'two equal pull grants',
    async prepare() {
      const round = await new Round().begun()
      const body = { grantee_workspace_id: other, repository_id: round.id }
      const grant = () => served.api.registry.createPullGrant({ workspace: served.workspace, engine: 'native', body })
      return [grant, grant]
    },
    documented: ['OK, PULL_GRANT_ALREADY_EXISTS', 'PULL_GRANT_ALREADY_EXISTS, OK'],
  },
  {
    name: 'an access policy and the deletion of its repository',
    async prepare() {
      const round = await new Round().begun()
      const at = { workspace: served.workspace, engine: 'native', repository: round.id }
      const body = { name: 'one', rules }
      return [() => served.api.registry.createRepositoryAccessPolicy({ ...at, body }), () => round.delete()]
    },
    documented: ['OK, OK', 'REPOSITORY_NOT_FOUND, OK'],
  },
]

describe('a race of', () => {
  it.each(races)('$name has only documented outcomes', async ({ documented, name, prepare }) => {
    const outcomes = await race(rounds, prepare)
    console.log(`${name}: ${toldOutcomes(outcomes)}`)
    expect([...outcomes.keys()].filter(outcome => !documented.includes(outcome))).toEqual([])
  })

  it('leaves rows that the doctor finds sound', async () => {
    expect(await doctorFindings(served.place)).toEqual([])
  })
})
