import { describe, it } from 'vitest'
import { oneProcess, twoProcesses, type Arena } from '../arena.ts'
import type { Caller } from '../platform.ts'

/** Something that is raced for over and over. */
interface Race {
  readonly organisation: string
  /** One race; the number of the round is given. */
  readonly round: (round: number) => Promise<void>
}

/**
 * Creates the resources that the rounds of one lane race for; `name` is unused on the platform, lanes are counted from
 * 0.
 */
type Setup = (arena: Arena, name: string, lane: number) => Promise<Race>

/** Lanes race beside each other, each in an organisation of its own. */
const lanes = 4

/**
 * The number of races of each lane. In the rounds of all lanes six calls or fewer begin at least twice in each of the
 * orders that `atOnce` has for them, and without the locks of rows a race that needs them is lost within a dozen
 * rounds. More: `NINEFOLD_RACE_LAPS=50 npx vitest run test/domain/taxonomy/races/races.test.ts`
 */
const laps = Number(process.env['NINEFOLD_RACE_LAPS'] ?? 6)

type Races = Readonly<Record<string, Setup>>

/** Declares races between two callers of one process, and of two. */
export async function declareRaces(races: Races): Promise<void> {
  const arenas = [
    { name: 'in one process', arena: await oneProcess() },
    { name: 'over two processes on one store', arena: await twoProcesses() },
  ]
  describe.each(arenas)('$name', ({ arena }) => {
    it.each(Object.entries(races))('%s', async name => {
      await run(arena, name, races[name])
    })

    it('nothing is wrong after all that', () => arena.expectHealth())
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
 * Begins all calls at once, in another order each round and in turn by both callers. Returns their results in the given
 * order.
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

/** The number of each result. */
export function tally(outcomes: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}
