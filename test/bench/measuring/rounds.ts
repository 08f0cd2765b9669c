/** One way to do something; groups of them are compared. */
export interface Contender {
  readonly name: string
  /** Runs a function `units` times; the result is kept, so that no engine can optimise it away. */
  readonly run: () => unknown
  readonly units: number
}

/** Long against the grain of the CPU clock, which is 4 ms on some machines. */
const roundMs = 150

/** The duration of the alternation of contenders. */
export interface Turns {
  readonly rounds: number
  /** How often a contender runs at least before it is measured. */
  readonly warmUp: number
}

const fewTurns: Turns = { rounds: 9, warmUp: 0 }

/** The last results of the contenders. */
export const kept: unknown[] = []

/**
 * The CPU time of one unit of each contender in nanoseconds: the median of rounds that take turns, so that a slow
 * stretch of the machine meets all of them.
 */
export async function measure(contenders: readonly Contender[]): Promise<readonly number[]> {
  return (await measureRounds(contenders, fewTurns)).map(median)
}

/** As `measure`, but with the times of all rounds, which stand in the order of the rounds. */
export async function measureRounds(
  contenders: readonly Contender[],
  { rounds, warmUp }: Turns,
): Promise<readonly (readonly number[])[]> {
  const times: number[] = []
  // Contenders run one after the other, because concurrent work would count as their time.
  for (const contender of contenders) times.push(await repetitions(contender, warmUp))
  const found = contenders.map((): number[] => [])
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, contender] of contenders.entries()) {
      const count = times[index] ?? 1
      // Other work of the process runs between the contenders.
      await new Promise(resolve => setTimeout(resolve, 1))
      const spent = await cpuOf(contender, count)
      found[index]?.push(spent / (count * contender.units))
    }
  }
  return found
}

/** How often a contender runs in a round; finding out also warms it up. */
async function repetitions(contender: Contender, warmUp: number): Promise<number> {
  await cpuOf(contender, warmUp)
  let count = 1
  while ((await cpuOf(contender, count)) < (roundMs / 2) * 1e6) count *= 2
  return count * 2
}

/** Every few calls, a server does other work, such as the renewal of a lease; its time includes that. */
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

/** A quarter of some numbers is less than the first, half of them less than the second, a quarter more than the third. */
export function quartiles(numbers: readonly number[]): readonly [lower: number, median: number, upper: number] {
  return [quantile(numbers, 1 / 4), median(numbers), quantile(numbers, 3 / 4)]
}

function quantile(numbers: readonly number[], part: number): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * part)] ?? Number.NaN
}
