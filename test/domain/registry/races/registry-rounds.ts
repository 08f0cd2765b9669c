import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ApiError } from '../../../../runtime/errors.ts'
import { areas } from '../../../../server/areas.ts'
import { countedRetries } from '../../../areas/counted-retries.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { race, raceRounds, toldOutcomes, type Racers } from '../../../areas/race.ts'
import { digestOf, faultOf, type OciAnswer } from '../oci-client.ts'
import { servedRegistry, type ServedRegistry } from '../served-registry.ts'
import { clearAfterRounds } from './clear-rounds.ts'

const isLong = process.env['NINEFOLD_RACE_LAPS'] !== undefined
const rounds = isLong ? raceRounds : Math.min(8, raceRounds)

/** The time limit of a race in milliseconds: PostgreSQL finds a deadlock, after which a call begins again, in a second. */
const timeout = 60_000 + rounds * 6000

/** One round of a race. */
export interface RegistryRound {
  readonly calls: Racers
  /** Checks what the calls have left. */
  readonly check?: () => Promise<void>
}

/** A race of calls of the registry. */
export interface RegistryRace {
  readonly name: string
  readonly prepare: () => Promise<RegistryRound>
  /** The combinations of outcomes that the registry documents. */
  readonly documented: readonly string[]
}

/** A served registry that counts the transactions that its store runs again. */
export interface RacedRegistry extends ServedRegistry {
  readonly retries: () => number
}

/** Serves one registry for the races of a file, without a limit of repositories. Returns a function that returns it. */
export function racedRegistry(): () => RacedRegistry {
  let served: RacedRegistry | undefined
  const undone: (() => void | Promise<void>)[] = []
  beforeAll(async () => {
    const counts: (() => number)[] = []
    const mounted = areas.map(each => {
      if (each.domain.name !== 'registry') return each
      const { area, count } = countedRetries(each)
      counts.push(count)
      return area
    })
    const retries = () => counts.reduce((sum, count) => sum + count(), 0)
    served = { ...(await servedRegistry(undo => void undone.push(undo), 0, { mounted })), retries }
    const body = { quota_definition_id: 'registry.repositories', limit: -1 }
    await served.api.registry.createQuotaLimit({ workspace: served.workspace, body })
  })
  afterAll(async () => {
    for (const undo of undone.toReversed()) await undo()
  })
  return () => {
    if (!served) throw new Error('the registry is served within tests only')
    return served
  }
}

/** Declares the tests of races: each has only documented outcomes, and all together leave sound rows and files. */
export function describeRaces(registry: () => ServedRegistry, races: readonly RegistryRace[]): void {
  describe('a race of', () => {
    it.each(races)('$name has only documented outcomes', { timeout }, async ({ documented, name, prepare }) => {
      let check: RegistryRound['check']
      const outcomes = await race(
        rounds,
        async () => {
          const round = await prepare()
          ;({ check } = round)
          return round.calls
        },
        async (_outcome, round) => {
          await check?.()
          await clearAfterRounds(registry(), round)
        },
      )
      console.log(`${name}: ${toldOutcomes(outcomes)}`)
      expect([...outcomes.keys()].filter(outcome => !documented.includes(outcome))).toEqual([])
    })

    it('leaves rows and files that the doctor finds sound', async () => {
      expect(await doctorFindings(registry().place)).toEqual([])
    })
  })
}

/** Returns the answer of the data plane, or throws its refusal as an error of its reason. */
export async function accepted(call: Promise<OciAnswer>): Promise<OciAnswer> {
  const answer = await call
  if (answer.status < 400) return answer
  const reason = faultOf(answer).split(' ').at(-1) ?? ''
  throw new ApiError({ reason, rpc: 'UNKNOWN' }, reason)
}

let count = 0

/** Returns a name that no resource of the file has. */
export const nextName = (): string => `made-${(count += 1)}`

/** A repository of one round. */
export class RacedRepository {
  readonly name: string
  readonly id: string
  readonly #served: ServedRegistry

  private constructor(served: ServedRegistry, own: string, id: string) {
    this.#served = served
    this.name = `acme/web/${own}`
    this.id = id
  }

  static async made(served: ServedRegistry): Promise<RacedRepository> {
    const own = nextName()
    return new RacedRepository(served, own, await served.repository(own))
  }

  /** Pushes an image of the tag `v1`; returns the digest. */
  push(text = 'one'): Promise<string> {
    return this.#served.oci.pushImage(this.name, 'v1', text)
  }

  pushManifest(reference: string, manifest: object, type?: string): Promise<OciAnswer> {
    return accepted(this.#served.oci.pushManifest(this.name, reference, manifest, type))
  }

  /** Deletes a manifest, a tag or a blob by its path below the name of the repository. */
  remove(path: string): Promise<OciAnswer> {
    return accepted(this.#served.oci.send(`/v2/${this.name}/${path}`, { method: 'DELETE' }))
  }

  delete(force = false) {
    const { api, workspace } = this.#served
    return api.registry.deleteRepository({ workspace, engine: 'native', id: this.id, force })
  }

  lock(protect_tags = false) {
    const { api, workspace } = this.#served
    const body = { reference: 'v1', reason: 'raced', protect_tags }
    return api.registry.createDeploymentLock({ workspace, repository: this.id, body })
  }

  /** Reads a blob, and fails unless its bytes are a text. */
  async hasBlob(text: string): Promise<void> {
    const { bytes } = await accepted(this.#served.oci.send(`/v2/${this.name}/blobs/${digestOf(text)}`))
    expect(new TextDecoder().decode(bytes)).toBe(text)
  }
}
