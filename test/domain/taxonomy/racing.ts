import { describe, it } from 'vitest'
import { postgresUrl } from '../../server/store/harness.ts'
import { oneProcess, twoProcesses, type Arena } from './arena.ts'
import type { Caller } from './platform.ts'

/** Something that is raced for over and over. */
interface Race {
  readonly organisation: string
  /** One race; the number of the round is given. */
  readonly round: (round: number) => Promise<void>
}

/** Makes what the rounds of one lane race for; `name` is free on the platform, lanes are counted from 0. */
type Setup = (arena: Arena, name: string, lane: number) => Promise<Race>

/** Lanes race beside each other, each in an organisation of its own. */
const lanes = 4

/** Rounds take several times as long there, and are more often close. */
const isOnPostgres = postgresUrl() !== undefined

/**
 * Declares races, on SQLite each of 200 rounds in one process, elsewhere of 48. Without the locks of rows, a race that
 * needs them is lost within a dozen rounds.
 */
export const declareRaces = (races: Races): Promise<void> => declare(races, 12)

/** The same for races whose rounds are long, of 32 where those of others are 48. */
export const declareLongRaces = (races: Races): Promise<void> => declare(races, 8)

type Races = Readonly<Record<string, Setup>>

async function declare(races: Races, laps: number): Promise<void> {
  const arenas = [
    { name: 'in one process', arena: await oneProcess(), laps: isOnPostgres ? laps : 50 },
    { name: 'over two processes on one store', arena: await twoProcesses(), laps },
  ]
  describe.each(arenas)('$name', ({ arena, laps }) => {
    it.each(Object.entries(races))('%s', async name => {
      await run(arena, laps, name, races[name])
    })

    it('nothing is wrong after all that', () => arena.expectHealth())
  })
}

async function run(arena: Arena, laps: number, name: string, setup: Setup | undefined): Promise<void> {
  if (setup === undefined) throw new Error(`there is no race "${name}"`)
  const prefix = name.replaceAll(/[^a-z]+/g, '-').slice(0, 40)
  const raced = await Promise.all(Array.from({ length: lanes }, (_, lane) => setup(arena, `${prefix}-${lane}`, lane)))
  for (let lap = 0; lap < laps; lap += 1) {
    await Promise.all(raced.map(({ round }) => round(lap)))
    for (const { organisation } of raced) await arena.expectTree(organisation)
  }
}

/**
 * Begins all calls at once, in another order each round and in turn by both callers. Answers what came of them, in the
 * order in which they are given.
 */
export async function atOnce<Outcome>(
  { one, other }: Arena,
  round: number,
  ...calls: readonly ((caller: Caller) => Promise<Outcome>)[]
): Promise<Outcome[]> {
  const order = calls.map((_, i) => (i + round) % calls.length)
  if (round % 2 === 1) order.reverse()
  const begun = new Map(order.map((call, i) => [call, calls[call]?.(i % 2 === 0 ? one : other)]))
  const outcomes: Outcome[] = []
  for (let i = 0; i < calls.length; i += 1) {
    const outcome = begun.get(i)
    if (outcome !== undefined) outcomes.push(await outcome)
  }
  return outcomes
}

/** How often each outcome came. */
export function tally(outcomes: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}
