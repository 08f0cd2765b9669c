import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateArguments, root } from '../../scripts/project.ts'

/**
 * Prints what a cold process of `generate` costs beside an empty one: over the documents in `specs/`, when it remembers
 * the last run and when it does not, as in CI; and over the document that is named on the command line.
 */
const rounds = 5
const [document] = process.argv.slice(3)

interface Cost {
  readonly wallMs: number
  readonly cpuMs: number
}

const out = mkdtempSync(join(tmpdir(), 'ninefold-bench-'))
try {
  const empty = median(['--eval', '0'])
  print('an empty process', empty, empty)
  for (const [state, ci] of [
    ['anew', 'true'],
    ['remembered', ''],
  ] as const) {
    process.env.CI = ci
    print(`specs, ${state}`, median(generateArguments()), empty)
    print(`specs, ${state}, --check`, median([...generateArguments(), '--check']), empty)
  }
  if (document !== undefined) {
    if (!existsSync(document)) throw new Error(`${document} does not exist`)
    print(document, median(['ninefold.ts', 'generate', document, '--out', join(out, 'output')]), empty)
  }
} finally {
  rmSync(out, { recursive: true, force: true })
}

/** The round with the median CPU time. */
function median(args: readonly string[]): Cost {
  const costs = Array.from({ length: rounds }, () => run(args)).sort((a, b) => a.cpuMs - b.cpuMs)
  return costs[Math.floor(rounds / 2)] ?? { wallMs: 0, cpuMs: 0 }
}

/** Wraps the process in a file that reports its own CPU time when it ends. */
function run(args: readonly string[]): Cost {
  const report = join(out, 'cpu')
  const hook = `import { writeFileSync } from 'node:fs'; process.on('exit', () => writeFileSync(${JSON.stringify(report)}, JSON.stringify(process.cpuUsage())))`
  const start = performance.now()
  const { status, stderr } = spawnSync(process.execPath, ['--import', dataUrl(hook), ...args], {
    cwd: root,
    encoding: 'utf8',
  })
  const wallMs = performance.now() - start
  if (status !== 0) throw new Error(`${args.join(' ')} failed: ${stderr}`)
  const { user, system } = JSON.parse(readFileSync(report, 'utf8')) as NodeJS.CpuUsage
  return { wallMs, cpuMs: (user + system) / 1000 }
}

function dataUrl(code: string): string {
  return `data:text/javascript,${encodeURIComponent(code)}`
}

function print(name: string, { wallMs, cpuMs }: Cost, base: Cost): void {
  const cells = [`${wallMs.toFixed(0)} ms`, `${cpuMs.toFixed(0)} ms CPU`, `${(cpuMs / base.cpuMs).toFixed(1)} x`]
  console.log(name.padEnd(32) + cells.map(cell => cell.padStart(14)).join(''))
}
