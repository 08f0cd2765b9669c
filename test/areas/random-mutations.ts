import { ApiError } from '../../runtime/errors.ts'
import { seeded, type Random } from './random.ts'

/**
 * A random resource, with random updates and deletions; a run also calls the functions after the deletion of the
 * resource.
 */
export interface RandomThing {
  readonly update: (random: Random) => Promise<unknown>
  readonly delete: (random: Random) => Promise<unknown>
}

/** A kind of random resources of an area; most creations are valid, and a few are invalid. */
export interface RandomKind {
  readonly name: string
  readonly create: (random: Random) => Promise<RandomThing>
  /** The reasons for which calls of the kind may be refused; any other reason is a fault. */
  readonly refusals: readonly string[]
  /** The weight of the kind in the random choice of kinds; 10 by default. */
  readonly weight?: number
}

/** The parameters of a run of random mutations. */
export interface RandomRun<Api> {
  readonly seed: number
  readonly count: number
  readonly api: Api
  readonly make: (api: Api) => readonly RandomKind[]
}

/**
 * The number of mutations in a run, 300 by default. For ten thousand: `NINEFOLD_MUTATIONS=10000 npx vitest run
 * test/domain/network/mutations.test.ts`
 */
export const mutationCount = Number(process.env['NINEFOLD_MUTATIONS'] ?? 300)

/**
 * The maximal number of known resources of a kind. The run forgets only resources that it deletes, because a forgotten
 * quota limit of 0 would refuse all creations until the end.
 */
const mostThings = 40

/** The percentage of deletions after which the resource remains a target of later updates and deletions. */
const remembered = 20

/**
 * Runs `count` random creations, updates and deletions sequentially. Returns the number of calls with each outcome,
 * keyed by `<kind> <verb>: <DONE or reason>`. Throws with the step and the seed if a call has an outcome that its kind
 * does not document.
 */
export async function randomMutations<Api>(run: RandomRun<Api>): Promise<ReadonlyMap<string, number>> {
  const random = seeded(run.seed)
  const turns = run.make(run.api).flatMap(kind => {
    const things: RandomThing[] = []
    return Array.from({ length: kind.weight ?? 10 }, () => ({ kind, things }))
  })
  const outcomes = new Map<string, number>()
  for (let step = 0; step < run.count; step += 1) {
    const { kind, things } = random.oneOf(turns)
    const { call, verb } = next(kind, things, random)
    const outcome = await outcomeOf(call)
    if (outcome instanceof Error || (outcome !== 'DONE' && !kind.refusals.includes(outcome))) {
      const what = `step ${step} of seed ${run.seed}: ${verb} of ${kind.name}`
      throw new Error(`${what} ended with ${String(outcome)}`, { cause: outcome })
    }
    const key = `${kind.name} ${verb}: ${outcome}`
    outcomes.set(key, (outcomes.get(key) ?? 0) + 1)
  }
  return outcomes
}

function next(kind: RandomKind, things: RandomThing[], random: Random) {
  const choice = random.below(100)
  if (things.length === 0 || (choice < 40 && things.length < mostThings))
    return { verb: 'create', call: () => create(kind, things, random) }
  const thing = random.oneOf(things)
  if (choice < 70) return { verb: 'update', call: () => thing.update(random) }
  if (!random.percent(remembered)) things.splice(things.indexOf(thing), 1)
  return { verb: 'delete', call: () => thing.delete(random) }
}

async function create(kind: RandomKind, things: RandomThing[], random: Random): Promise<void> {
  things.push(await kind.create(random))
}

/**
 * Runs a call; returns `DONE`, the reason of a refusal, or an error for all other failures, which are always faults.
 */
async function outcomeOf(call: () => Promise<unknown>): Promise<string | Error> {
  try {
    await call()
    return 'DONE'
  } catch (error) {
    if (error instanceof ApiError && error.reason !== undefined && error.rpc !== 'INTERNAL') return error.reason
    return error instanceof Error ? error : new Error(String(error))
  }
}
