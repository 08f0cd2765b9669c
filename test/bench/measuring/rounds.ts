/** A way to do something, which is compared with other ways. */
export interface Contender {
  readonly name: string
  /** Does `units` units of work and returns the result, which is kept so that no engine can optimise the work away. */
  readonly run: () => unknown
  readonly units: number
}

/**
 * The minimal CPU time of a round in milliseconds; much longer than the resolution of the CPU clock, which is 4 ms on
 * some machines.
 */
const roundMs = 150

/** The number of rounds and warm-up runs of a measurement. */
export interface Turns {
  readonly rounds: number
  /** The minimal number of runs of a contender before its measurement. */
  readonly warmUp: number
}

const fewTurns: Turns = { rounds: 9, warmUp: 0 }

/** The last result of a contender, kept so that no engine can optimise the work away. */
export const kept: unknown[] = []

/**
 * Returns the CPU time of one unit of each contender in nanoseconds: the median of its rounds. The rounds of the
 * contenders alternate, so that other work of the machine affects all of them.
 */
export async function measure(contenders: readonly Contender[]): Promise<readonly number[]> {
  return (await measureRounds(contenders, fewTurns)).map(median)
}

/** Measures like `measure`, but returns the times of all rounds of each contender, in order. */
export async function measureRounds(
  contenders: readonly Contender[],
  { rounds, warmUp }: Turns,
): Promise<readonly (readonly number[])[]> {
  const times: number[] = []
  // Contenders run sequentially, because concurrent work would count as their time.
  for (const contender of contenders) times.push(await repetitions(contender, warmUp))
  const found = contenders.map((): number[] => [])
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, contender] of contenders.entries()) {
      const count = times[index] ?? 1
      // The pause gives other work of the process time between the contenders.
      await new Promise(resolve => setTimeout(resolve, 1))
      const spent = await cpuOf(contender, count)
      found[index]?.push(spent / (count * contender.units))
    }
  }
  return found
}

/** Returns the number of runs of a contender in a round; the search for this number also warms the contender up. */
async function repetitions(contender: Contender, warmUp: number): Promise<number> {
  await cpuOf(contender, warmUp)
  let count = 1
  while ((await cpuOf(contender, count)) < (roundMs / 2) * 1e6) count *= 2
  return count * 2
}

/**
 * The number of runs after which other work of the process gets a turn, such as the renewal of a lease; the measured
 * time includes this work.
 */
const callsPerTurn = 200

async function cpuOf({ run }: Contender, count: number): Promise<number> {
  const before = process.threadCpuUsage()
  for (let i = 0; i < count; i += 1) {
    const result = run()
    kept[0] = result instanceof Promise ? await result : result
    if (result instanceof Promise && i % callsPerTurn === 0) await new Promise(resolve => setImmediate(resolve))
  }
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) * 1000
}

/** Returns the median of numbers. */
export function median(numbers: readonly number[]): number {
  return quantile(numbers, 1 / 2)
}

/** Returns the lower quartile, the median and the upper quartile of numbers. */
export function quartiles(numbers: readonly number[]): readonly [lower: number, median: number, upper: number] {
  return [quantile(numbers, 1 / 4), median(numbers), quantile(numbers, 3 / 4)]
}

function quantile(numbers: readonly number[], part: number): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * part)] ?? Number.NaN
}
