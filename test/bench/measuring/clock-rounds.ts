import { median, type Contender } from './rounds.ts'

/**
 * Returns the median time of each contender on the clock, in nanoseconds: for work of another process, such as a server
 * of PostgreSQL. The contenders take turns, so that a slow stretch of the machine meets all of them. Before the
 * measurement, each contender runs `warmUp` times, by default not at all.
 */
export async function clockRounds(
  contenders: readonly Contender[],
  rounds: number,
  warmUp = 0,
): Promise<readonly number[]> {
  for (const { run } of contenders) for (let i = 0; i < warmUp; i += 1) await run()
  const found = contenders.map((): number[] => [])
  for (let round = 0; round < rounds; round += 1) {
    for (const [i, { run }] of contenders.entries()) {
      const since = performance.now()
      await run()
      found[i]?.push((performance.now() - since) * 1e6)
    }
  }
  return found.map(median)
}
