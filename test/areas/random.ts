/** Random numbers that are the same for the same seed, so that a failed run can be repeated. */
export interface Random {
  /** Returns a whole number from 0 to below `end`. */
  below(end: number): number
  /** Returns a random element of `values`; throws if `values` is empty. */
  oneOf<T>(values: readonly T[]): T
  /** Returns true with a probability of `share` percent. */
  percent(share: number): boolean
}

/** Returns a generator with the algorithm Mulberry32, whose 2^32 states are ample for tests. */
export function seeded(seed: number): Random {
  let state = seed | 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (end: number): number => Math.floor(next() * end)
  return {
    below,
    oneOf(values) {
      for (const value of values.slice(below(values.length))) return value
      throw new Error('there is no value to choose from')
    },
    percent: share => below(100) < share,
  }
}
