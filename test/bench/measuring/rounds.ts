/** One way to do something; groups of them are compared. */
export interface Contender {
  readonly name: string
  /** Does it `units` times; what it gives back is kept, so that no engine may leave it out. */
  readonly run: () => unknown
  readonly units: number
}

/** Long against the grain of the CPU clock, which is 4 ms on some machines. */
const roundMs = 150
const rounds = 9

/** What the contenders gave back last. */
export const kept: unknown[] = []

/**
 * The CPU time of one unit of each contender in nanoseconds: the median of rounds that take turns, so that a slow
 * stretch of the machine meets all of them.
 */
export async function measure(contenders: readonly Contender[]): Promise<readonly number[]> {
  const times: number[] = []
  // One after the other: what runs beside a contender would be counted as its time.
  for (const contender of contenders) times.push(await repetitions(contender))
  const found = contenders.map((): number[] => [])
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, contender] of contenders.entries()) {
      const count = times[index] ?? 1
      // What goes on beside the contenders, such as a lease that is renewed, has its turn between them.
      await new Promise(resolve => setTimeout(resolve, 1))
      const spent = await cpuOf(contender, count)
      found[index]?.push(spent / (count * contender.units))
    }
  }
  return found.map(median)
}

/** How often a contender runs in a round; finding out also warms it up. */
async function repetitions(contender: Contender): Promise<number> {
  let count = 1
  while ((await cpuOf(contender, count)) < (roundMs / 2) * 1e6) count *= 2
  return count * 2
}

async function cpuOf({ run }: Contender, count: number): Promise<number> {
  const before = process.threadCpuUsage()
  for (let i = 0; i < count; i += 1) {
    const result = run()
    kept[0] = result instanceof Promise ? await result : result
  }
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) * 1000
}

/** The middle one of some numbers. */
export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN
}
