import { outcomeOf } from '../domain/outcomes.ts'

/** The calls of one round, each as a function that begins the call. */
export type Racers = readonly (() => Promise<unknown>)[]

/**
 * The number of rounds of a race: half of them begin the calls in reverse order. For two hundred rounds:
 * `NINEFOLD_RACE_LAPS=200 npx vitest run test/domain/network/races.test.ts`
 */
export const raceRounds = Number(process.env['NINEFOLD_RACE_LAPS'] ?? 12)

/**
 * Begins all calls of a round concurrently, in reverse order in every other round. `prepare` creates the rows of a
 * round and returns its calls; `after` checks the rows after a round. Returns the number of rounds, keyed by the
 * combination of their outcomes in the order of the calls, for example `OK, VPC_NOT_FOUND`. Rethrows any error other
 * than an `ApiError`.
 */
export async function race(
  rounds: number,
  prepare: (round: number) => Promise<Racers>,
  after: (outcome: string, round: number) => Promise<void> = async () => {},
): Promise<ReadonlyMap<string, number>> {
  const outcomes = new Map<string, number>()
  for (let round = 0; round < rounds; round += 1) {
    const calls = await prepare(round)
    const isTurned = round % 2 === 1
    const begun = (isTurned ? calls.toReversed() : calls).map(call => outcomeOf(call()))
    const ended = await Promise.all(begun)
    const outcome = (isTurned ? ended.toReversed() : ended).join(', ')
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    await after(outcome, round)
  }
  return outcomes
}

/** Formats the outcomes of a race for people: `150 x OK, OK; 50 x OK, KEY_VERSION_STATE`. */
export const toldOutcomes = (outcomes: ReadonlyMap<string, number>): string =>
  [...outcomes].map(([outcome, count]) => `${count} x ${outcome}`).join('; ')
