import type { Timing } from '../../runtime/retry.ts'

/** Returns a clock that only sleeps advance; `slept` has the milliseconds of each sleep. */
export function fakeTiming(random = 0.5): Timing & { readonly slept: number[] } {
  const slept: number[] = []
  let now = Date.parse('2026-01-01T00:00:00Z')
  return {
    slept,
    now: () => now,
    random: () => random,
    sleep: async ms => {
      slept.push(ms)
      now += ms
    },
  }
}
