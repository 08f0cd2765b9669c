import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median } from './rounds.ts'

/** The costs of a process and its children. */
export interface ProcessCost {
  readonly wallSeconds: number
  readonly cpuSeconds: number
  /** The largest resident set of the process itself, in MiB. */
  readonly memoryMib: number
}

/** The folder of a process, and its environment variables in addition to those of this process. */
export interface Place {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
}

/** Runs Node.js with some arguments to its end, and returns its costs. Throws with the output if the process fails. */
export function processCost(args: readonly string[], { cwd, env }: Place): ProcessCost {
  const folder = mkdtempSync(join(tmpdir(), 'ninefold-cost-'))
  const report = join(folder, 'usage')
  const hook = `import { writeFileSync } from 'node:fs'; process.on('exit', () => writeFileSync(${JSON.stringify(report)}, JSON.stringify(process.resourceUsage())))`
  try {
    const [before, began] = [childrenSeconds(), performance.now()]
    const { status, stderr, stdout } = spawnSync(process.execPath, ['--import', dataUrl(hook), ...args], {
      cwd,
      env: { ...process.env, ...env },
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    })
    const wallSeconds = (performance.now() - began) / 1000
    if (status !== 0) throw new Error(`${args.join(' ')} failed: ${stderr}${stdout}`)
    const { cpuSeconds, memoryMib } = usageOf(report)
    // The CPU time of children and of replaced programs is known only from /proc.
    const all = before === undefined ? cpuSeconds : (childrenSeconds() ?? Number.NaN) - before
    return { wallSeconds, cpuSeconds: all, memoryMib }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Returns the costs that a process has reported about itself; NaN for a program that has replaced the process. */
function usageOf(report: string): Pick<ProcessCost, 'cpuSeconds' | 'memoryMib'> {
  if (!existsSync(report)) return { cpuSeconds: Number.NaN, memoryMib: Number.NaN }
  const { maxRSS, systemCPUTime, userCPUTime }: NodeJS.ResourceUsage = JSON.parse(readFileSync(report, 'utf8'))
  return { cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, memoryMib: maxRSS / 1024 }
}

/** Returns the median of each figure over several runs; `prepare` runs before each run and is not measured. */
export function medianCost(rounds: number, run: () => ProcessCost, prepare?: (round: number) => void): ProcessCost {
  const costs = Array.from({ length: rounds }, (_, round) => {
    prepare?.(round)
    return run()
  })
  return medianOf(costs)
}

/** Returns the median of each figure, separately. */
export const medianOf = (costs: readonly ProcessCost[]): ProcessCost => ({
  wallSeconds: median(costs.map(cost => cost.wallSeconds)),
  cpuSeconds: median(costs.map(cost => cost.cpuSeconds)),
  memoryMib: median(costs.map(cost => cost.memoryMib)),
})

const statFile = '/proc/self/stat'
const ticksPerSecond = 100

/** Returns the CPU time in seconds of all ended child processes and their children; undefined without /proc. */
function childrenSeconds(): number | undefined {
  if (!existsSync(statFile)) return undefined
  const stat = readFileSync(statFile, 'utf8')
  // The fields follow the name, which may contain any character; cutime and cstime are the 16th and 17th fields
  // (proc(5)).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[13]) + Number(fields[14])) / ticksPerSecond
}

const dataUrl = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`
