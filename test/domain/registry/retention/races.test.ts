import { setImmediate as nextTurn } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { ApiError } from '../../../../runtime/errors.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { race, raceRounds, toldOutcomes, type Racers } from '../../../areas/race.ts'
import { faultOf, type OciAnswer } from '../oci-client.ts'
import { heldRetention } from './held-retention.ts'
import { drop, keep, ruledRepository } from './ruled-repository.ts'

const isLong = process.env['NINEFOLD_RACE_LAPS'] !== undefined
const rounds = isLong ? raceRounds : Math.min(8, raceRounds)

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

/**
 * Prepares a run that matches tags `dev-*`, which races with a call about the artifact of the tag `dev-1`. The run begins
 * some turns of the event loop later in each round, because it is shorter than a call.
 */
async function against(
  call: (repository: Repository, digest: string) => Promise<unknown>,
  round: number,
): Promise<Racers> {
  const repository = await ruledRepository(held())
  const digest = await repository.push('dev-1')
  const id = await repository.policy([drop('dev', { tag_patterns: ['dev-*'] })])
  await held().begin(id)
  return [
    () => call(repository, digest),
    async () => {
      for (let turn = 0; turn < round * 3; turn += 1) await nextTurn()
      await held().work(id)
      const isLeft = (await repository.left()).has(digest)
      throw new ApiError({ reason: isLeft ? 'KEPT' : 'DELETED', rpc: 'UNKNOWN' }, '')
    },
  ]
}

interface Race {
  readonly name: string
  readonly call: (repository: Repository, digest: string) => Promise<unknown>
  readonly documented: readonly string[]
}

const races: readonly Race[] = [
  {
    name: 'a deployment lock',
    call: ({ at }) =>
      held().api.registry.createDeploymentLock({ ...at, body: { reference: 'dev-1', reason: 'raced' } }),
    documented: ['OK, KEPT', 'ARTIFACT_NOT_FOUND, DELETED'],
  },
  {
    name: 'the push of an index with the artifact',
    async call({ name, pushIndex }, digest) {
      const made = await pushIndex('index', [digest])
      if (made === '') throw new ApiError({ reason: 'MANIFEST_BLOB_UNKNOWN', rpc: 'UNKNOWN' }, name)
    },
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
    documented: ['OK, KEPT', 'OK, DELETED'],
  },
]

describe('a run of a retention policy in a race with', () => {
  it.each(races)('$name has only documented outcomes', async ({ call, documented, name }) => {
    const outcomes = await race(rounds, round => against(call, round))
    console.log(`${name}: ${toldOutcomes(outcomes)}`)
    expect([...outcomes.keys()].filter(outcome => !documented.includes(outcome))).toEqual([])
  })

  it('the move of its tag never takes the tag from the new artifact', async () => {
    const outcomes = await race(rounds, round =>
      against(async ({ left, name }) => {
        const { oci } = held()
        const moved = await oci.image(name, 'moved')
        await accepted(oci.pushManifest(name, 'dev-1', moved))
        // Decided before the push, the run cannot know the new artifact; decided after it, the run may delete it.
        const tags = [...(await left()).values()].flat()
        expect(tags.length).toBeLessThanOrEqual(1)
      }, round),
    )
    console.log(`the move of its tag: ${toldOutcomes(outcomes)}`)
    expect([...outcomes.keys()].filter(outcome => !['OK, KEPT', 'OK, DELETED'].includes(outcome))).toEqual([])
  })

  it('leaves rows that the doctor finds sound', async () => {
    expect(await doctorFindings(held().place)).toEqual([])
  })
})
