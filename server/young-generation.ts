import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** The size from which the young generation no longer grows, in bytes. */
const mostBytes = 16 * 1024 * 1024

/** The factors by which V8 multiplies the size of a young generation that is too small: no growth, and its default. */
const factors = { kept: 1, doubled: 2 } as const

/**
 * Keeps the young generation of the heaps of this process, in which new objects lie, at its size, which is 2 MiB at
 * first. By default, V8 doubles the size up to 128 MiB while many objects survive, and does not return all of this
 * memory. The option `--max-semi-space-size` works only before the start of a process, but the factor always.
 *
 * Compiled code is cached for certain flags of V8, so the growth is stopped before a program is loaded. Loading takes
 * no longer without the growth, because loaded code does not become garbage.
 */
export const stopYoungGrowth = (): void => setGrowth(factors.kept)

/** Lets the young generation of the heap of this thread grow up to `mostBytes`, after collections of garbage. */
export function limitYoungGrowth(): void {
  let factor: number = factors.kept
  const adapt = (): void => {
    const next = youngBytes() < mostBytes ? factors.doubled : factors.kept
    if (next === factor) return
    setGrowth(next)
    factor = next
  }
  adapt()
  new PerformanceObserver(adapt).observe({ entryTypes: ['gc'] })
}

const setGrowth = (factor: number): void => setFlagsFromString(`--semi-space-growth-factor=${factor}`)

/** Returns the size of the young generation in bytes, whether or not objects use it. */
const youngBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0
