import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median } from './rounds.ts'

/** The costs of a process and its children. */
export interface ProcessCost {
  readonly wallSeconds: number
  readonly cpuSeconds: number
  /** Its own largest resident set. */
  readonly memoryMib: number
}

/** The folder of a process, and its environment variables beside those of this process. */
export interface Place {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
}

/** Runs Node.js with some arguments to its end. Throws with the output unless the process succeeds. */
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
    // Children, and replaced programs, are only visible with /proc.
    const all = before === undefined ? cpuSeconds : (childrenSeconds() ?? Number.NaN) - before
    return { wallSeconds, cpuSeconds: all, memoryMib }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The costs that a process reported of itself; a program that replaces it reports none. */
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

/** The middle of each figure by itself. */
export const medianOf = (costs: readonly ProcessCost[]): ProcessCost => ({
  wallSeconds: median(costs.map(cost => cost.wallSeconds)),
  cpuSeconds: median(costs.map(cost => cost.cpuSeconds)),
  memoryMib: median(costs.map(cost => cost.memoryMib)),
})

const statFile = '/proc/self/stat'
const ticksPerSecond = 100

/** The CPU time of all processes that this one started and that have ended, theirs included. */
function childrenSeconds(): number | undefined {
  if (!existsSync(statFile)) return undefined
  const stat = readFileSync(statFile, 'utf8')
  // Behind the name, which may hold anything: cutime and cstime are the 16th and 17th of all (proc(5)).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[13]) + Number(fields[14])) / ticksPerSecond
}

const dataUrl = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`
