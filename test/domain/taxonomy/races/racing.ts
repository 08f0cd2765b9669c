import { describe, it } from 'vitest'
import { oneProcess, twoProcesses, type Arena } from '../arena.ts'
import type { Caller } from '../platform.ts'

/** A race that is repeated in rounds, in one organisation. */
interface Race {
  readonly organisation: string
  /** Runs one round of the race; the parameter is the number of the round. */
  readonly round: (round: number) => Promise<void>
}

/**
 * Creates the resources for the rounds of one lane. `name` is unused on the platform; the number of the lane starts at
 * 0.
 */
type Setup = (arena: Arena, name: string, lane: number) => Promise<Race>

/** The number of concurrent lanes, each in an organisation of its own. */
const lanes = 4

/**
 * The number of rounds of each lane. The rounds of all lanes begin up to six calls at least twice in each order of
 * `atOnce`. Without row locks, a race that depends on row locks fails within a dozen rounds. For more rounds:
 * `NINEFOLD_RACE_LAPS=50 npx vitest run test/domain/taxonomy/races/races.test.ts`
 */
const laps = Number(process.env['NINEFOLD_RACE_LAPS'] ?? 6)

type Races = Readonly<Record<string, Setup>>

/** Declares the tests of races between two callers of one process, and between callers of two processes. */
export async function declareRaces(races: Races): Promise<void> {
  const arenas = [
    { name: 'in one process', arena: await oneProcess() },
    { name: 'over two processes on one store', arena: await twoProcesses() },
  ]
  describe.each(arenas)('$name', ({ arena }) => {
    it.each(Object.entries(races))('%s', async name => {
      await run(arena, name, races[name])
    })

    it('the store is sound after the races', () => arena.expectHealth())
  })
}

async function run(arena: Arena, name: string, setup: Setup | undefined): Promise<void> {
  if (setup === undefined) throw new Error(`there is no race "${name}"`)
  const prefix = name.replaceAll(/[^a-z]+/g, '-').slice(0, 40)
  const raced = await Promise.all(
    Array.from({ length: lanes }, (_, lane) => setup({ ...arena, ahead: lane * laps }, `${prefix}-${lane}`, lane)),
  )
  for (let lap = 0; lap < laps; lap += 1) {
    await Promise.all(raced.map(({ round }) => round(lap)))
    for (const { organisation } of raced) await arena.expectTree(organisation)
  }
}

/**
 * Begins all calls concurrently, in another order in each round, and alternately by both callers. Returns their results
 * in the given order.
 */
export async function atOnce<Outcome>(
  { ahead, one, other }: Arena,
  round: number,
  ...calls: readonly ((caller: Caller) => Promise<Outcome>)[]
): Promise<Outcome[]> {
  const turn = ahead + round
  const order = calls.map((_, i) => (i + turn) % calls.length)
  if (turn % 2 === 1) order.reverse()
  const begun = new Map(order.map((call, i) => [call, calls[call]?.(i % 2 === 0 ? one : other)]))
  const outcomes: Outcome[] = []
  for (let i = 0; i < calls.length; i += 1) {
    const outcome = begun.get(i)
    if (outcome !== undefined) outcomes.push(await outcome)
  }
  return outcomes
}

/** Returns the number of times that each result occurs, keyed by the result. */
export function tally(outcomes: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}
