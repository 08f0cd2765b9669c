import { setImmediate as nextTurn } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { ApiError } from '../../../../runtime/errors.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { race, raceRounds, toldOutcomes, type Racers } from '../../../areas/race.ts'
import { faultOf, type OciAnswer } from '../oci-client.ts'
import { clearAfterRounds } from '../races/clear-rounds.ts'
import { heldRetention } from './held-retention.ts'
import { drop, keep, ruledRepository } from './ruled-repository.ts'

const isLong = process.env['NINEFOLD_RACE_LAPS'] !== undefined
const rounds = isLong ? raceRounds : Math.min(8, raceRounds)

/** The time limit of a race in milliseconds. */
const timeout = 60_000 + rounds * 6000

const held = heldRetention()

beforeAll(async () => {
  const { api, workspace } = held()
  const body = { quota_definition_id: 'registry.repositories', limit: -1 }
  await api.registry.createQuotaLimit({ workspace, body })
})

/** Returns an answer of the data plane, or throws its refusal as an error of its code. */
async function accepted(call: Promise<OciAnswer>): Promise<void> {
  const answer = await call
  if (answer.status >= 400) throw new ApiError({ reason: faultOf(answer).split(' ').at(-1) ?? '', rpc: 'UNKNOWN' }, '')
}

type Repository = Awaited<ReturnType<typeof ruledRepository>>

/** A call in a race with the run of a policy about the artifact of a digest. */
type Call = (repository: Repository, digest: string, policy: string) => Promise<unknown>

/**
 * Prepares a run that matches tags `dev-*`, which races with calls about the artifact of the tag `dev-1`. The run begins
 * some turns of the event loop later in each round, because it is shorter than a call.
 */
async function against(calls: readonly Call[], round: number): Promise<Racers> {
  const repository = await ruledRepository(held())
  const digest = await repository.push('dev-1')
  const id = await repository.policy([drop('dev', { tag_patterns: ['dev-*'] })])
  await held().begin(id)
  return [
    ...calls.map(call => () => call(repository, digest, id)),
    async () => {
      for (let turn = 0; turn < round * 3; turn += 1) await nextTurn()
      await held().work(id)
      const isLeft = (await repository.left()).has(digest)
      throw new ApiError({ reason: isLeft ? 'KEPT' : 'DELETED', rpc: 'UNKNOWN' }, '')
    },
  ]
}

/** Races calls with a run for all rounds, and returns how often each combination of outcomes occurred. */
const raced = (calls: readonly Call[]): Promise<ReadonlyMap<string, number>> =>
  race(
    rounds,
    round => against(calls, round),
    (_outcome, round) => clearAfterRounds(held(), round),
  )

interface Race {
  readonly name: string
  readonly call: Call
  readonly documented: readonly string[]
}

const lock: Call = ({ at }, reference) =>
  held().api.registry.createDeploymentLock({ ...at, body: { reference, reason: 'raced' } })

const index: Call = async ({ name, pushIndex }, digest) => {
  const made = await pushIndex('index', [digest])
  if (made === '') throw new ApiError({ reason: 'MANIFEST_BLOB_UNKNOWN', rpc: 'UNKNOWN' }, name)
}

/** Moves the tag of the artifact to a new artifact. */
const move: Call = async ({ name }) => {
  const { oci } = held()
  await accepted(oci.pushManifest(name, 'dev-1', await oci.image(name, 'moved')))
}

/** Returns the place of a policy. */
const placed = (id: string) => ({ workspace: held().workspace, engine: 'native', id })

const either = ['OK, KEPT', 'OK, DELETED']

const races: readonly Race[] = [
  {
    name: 'a deployment lock',
    call: lock,
    documented: ['OK, KEPT', 'ARTIFACT_NOT_FOUND, DELETED'],
  },
  {
    name: 'the push of an index with the artifact',
    call: index,
    documented: ['OK, KEPT', 'MANIFEST_BLOB_UNKNOWN, DELETED'],
  },
  {
    name: 'the deletion of the artifact',
    call: ({ name }, digest) => accepted(held().oci.send(`/v2/${name}/manifests/${digest}`, { method: 'DELETE' })),
    documented: ['OK, DELETED', 'MANIFEST_UNKNOWN, DELETED'],
  },
  {
    name: 'the forced deletion of the repository',
    call: ({ id }) =>
      held().api.registry.deleteRepository({ workspace: held().workspace, engine: 'native', id, force: true }),
    documented: ['OK, DELETED', 'OK, KEPT', 'OK, REPOSITORY_NOT_FOUND'],
  },
  {
    name: 'a KEEP rule of a new policy',
    call: ({ policy }) => policy([keep('all', {})], {}),
    documented: either,
  },
  {
    name: 'the deletion of the policy',
    call: (_repository, _digest, id) => held().api.registry.deleteRetentionPolicy(placed(id)),
    documented: either,
  },
  {
    name: 'the change of the policy to the mode DRY_RUN',
    call: (_repository, _digest, id) =>
      held().api.registry.updateRetentionPolicy({
        ...placed(id),
        update_mask: 'mode',
        body: { mode: 'REGISTRY_RETENTION_MODE_DRY_RUN' },
      }),
    documented: either,
  },
  {
    name: 'another push of the artifact',
    call: async ({ name, push }) => {
      try {
        await push('dev-1')
      } catch (error) {
        if (!String(error).includes('MANIFEST_BLOB_UNKNOWN')) throw error
        throw new ApiError({ reason: 'MANIFEST_BLOB_UNKNOWN', rpc: 'UNKNOWN' }, name)
      }
    },
    // With a grace of 0 the run may take blobs out of the repository between their upload and the manifest.
    documented: [...either, 'MANIFEST_BLOB_UNKNOWN, DELETED'],
  },
]

describe('a run of a retention policy in a race with', () => {
  it.each(races)('$name has only documented outcomes', { timeout }, async ({ call, documented, name }) => {
    const outcomes = await raced([call])
    console.log(`${name}: ${toldOutcomes(outcomes)}`)
    expect([...outcomes.keys()].filter(outcome => !documented.includes(outcome))).toEqual([])
  })

  it('the move of its tag never takes the tag from the new artifact', { timeout }, async () => {
    const moved: Call = async (repository, ...more) => {
      await move(repository, ...more)
      // Decided before the push, the run cannot know the new artifact; decided after it, the run may delete it.
      const tags = [...(await repository.left()).values()].flat()
      expect(tags.length).toBeLessThanOrEqual(1)
    }
    const outcomes = await raced([moved])
    console.log(`the move of its tag: ${toldOutcomes(outcomes)}`)
    expect([...outcomes.keys()].filter(outcome => !either.includes(outcome))).toEqual([])
  })

  it(
    'a lock, the push of an index and the move of its tag at once has only documented outcomes',
    { timeout },
    async () => {
      const outcomes = await raced([lock, index, move])
      console.log(`a lock, the push of an index and the move of its tag: ${toldOutcomes(outcomes)}`)
      const documented = ['OK, OK, OK, KEPT', 'ARTIFACT_NOT_FOUND, MANIFEST_BLOB_UNKNOWN, OK, DELETED']
      expect([...outcomes.keys()].filter(outcome => !documented.includes(outcome))).toEqual([])
    },
  )

  it('leaves rows that the doctor finds sound', async () => {
    expect(await doctorFindings(held().place)).toEqual([])
  })
})
